"""Reads from the syntax trees of handlers what they take of a request, and where they are."""
