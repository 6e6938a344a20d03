"""Finds the application of a project, starts it in the sandbox, and reads its OpenAPI document."""
