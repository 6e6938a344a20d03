"""Findings become a spec, and a spec becomes a test file."""
