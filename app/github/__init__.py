"""Use cases that speak with GitHub."""
