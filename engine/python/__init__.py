"""The embedded generator for Python."""
