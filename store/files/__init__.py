"""Files of runs and of the project: written atomically, locked, staged, logged."""
