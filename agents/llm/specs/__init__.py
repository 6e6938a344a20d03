"""What the spec agent with a model asks about a module, and what it makes of the answers."""
