"""Composes the spec from observed answers, and renders the spec as a test file with its helpers."""
