"""A help desk as an HTTP service."""
