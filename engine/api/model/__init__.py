"""Plain data of the API engine."""
