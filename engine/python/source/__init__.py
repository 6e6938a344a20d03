"""Python source text: literals, imports, names, and the forms a person would write."""
