"""Values that fit a schema, and values that violate it."""
