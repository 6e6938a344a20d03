"""The version, in one place: `pyproject.toml` holds the same, and a test compares them."""

VERSION = "0.1.0"
