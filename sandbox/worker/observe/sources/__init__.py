"""Sources of objects: expressions that build equal ones."""
