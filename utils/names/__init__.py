"""Names: of cases in tests, and those that somebody may have meant by a missing one."""
