"""Finding and running a project's own build or type check (T-12)."""
