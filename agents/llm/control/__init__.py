"""Agents with a model that steer a run; each builds on its embedded twin, which knows the facts."""
