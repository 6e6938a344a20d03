"""Plans without a model: a request in plain words becomes ordered steps."""
