"""Specs without a model: one generator for each test type, with a cache, a prefetch and a preview of first tests."""
