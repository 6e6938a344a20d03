"""The generators that are compared, one a file."""
