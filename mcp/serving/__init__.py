"""The MCP server that other agents use: tools, resources, prompts, sessions."""
