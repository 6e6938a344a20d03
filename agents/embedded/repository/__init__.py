"""Crawler, test case generator and test engineer without a model."""
