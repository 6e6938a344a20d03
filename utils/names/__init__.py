"""Names: of cases in tests, those that somebody may have meant by a missing one, and words with a number."""
