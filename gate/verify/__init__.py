"""Verifies suites under every condition and finds out why a test does not hold."""
