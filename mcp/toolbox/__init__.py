"""The built-in tools as an MCP server: definitions, services, cache."""
