"""Stores runs, artifacts and model answers in one SQLite database; `database.Store` opens it."""
