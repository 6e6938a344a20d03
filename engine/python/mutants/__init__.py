"""Searches for trials that kill mutants of the module."""
