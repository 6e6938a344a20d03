"""Values and arguments to try, as source text."""
