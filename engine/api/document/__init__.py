"""The application and its OpenAPI document: found, started, read."""
