"""Observed answers become a spec, and the spec becomes a test file."""
