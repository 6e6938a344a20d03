"""The run database: runs, artifacts, model answers."""
