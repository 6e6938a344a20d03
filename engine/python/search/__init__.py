"""Proposes trials, runs them in the sandbox, and follows those that reach something new."""
