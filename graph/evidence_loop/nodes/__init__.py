"""The nodes of the evidence loop, one a file."""
