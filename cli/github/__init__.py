"""testwright as a step of a CI workflow: inputs from its environment, answers in its files."""
