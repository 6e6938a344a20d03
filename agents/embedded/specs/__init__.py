"""Specs without a model: one generator for each test type, with a cache and a prefetch."""
