"""Writes the files of runs and of the project: atomically, under locks, staged first, logged."""
