"""Plans without a model: parses a request in plain words and builds ordered steps for each test type."""
