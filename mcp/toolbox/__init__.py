"""The tools for graphs as an in-memory MCP server: what a tool is, the list of all tools, services, cache.

`tool_spec` defines a tool, `registry` lists all of them, `tool_adapter` adapts one to the SDK, `toolbox` builds the
server; `services` holds what tools work with. It must not import `tool_client` or, but for the registry, `serving`.
"""
