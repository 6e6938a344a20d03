"""What a shop sold, and what is worth knowing about it."""
