"""Parses a request in plain words: words → lexemes → clauses; every content word has a role, or is named as unknown."""
