"""Where a project keeps its modules, and what an exploration of one depends on."""
