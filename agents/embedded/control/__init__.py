"""The agents that steer a run, without a model: safety, goal, health, lorebook and summary; all are deterministic."""
