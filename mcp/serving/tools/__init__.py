"""What the server offers to its clients, one tool a file."""
