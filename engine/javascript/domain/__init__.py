"""What a parameter of a script takes: shapes from types, documentation and its use in the body, and values for them."""
