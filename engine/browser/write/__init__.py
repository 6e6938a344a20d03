"""Writes specs and test files of flows."""
