"""Search over a project's code and documents, behind `get_codebase_context`."""
