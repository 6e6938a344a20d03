"""Integration tests by the embedded engine: seams between modules, flows across them, programs as they are run."""
