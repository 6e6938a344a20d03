"""Flows and program runs become a spec, and the spec becomes a test file."""
