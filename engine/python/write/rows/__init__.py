"""Names the rows of tables by what sets each apart from the others."""
