"""Caches that outlive a run: tool results (SQLite or Valkey) and the results of finished runs."""
