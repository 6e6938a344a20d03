"""The one way to call a tool, built-in or of an external MCP server.

`tool_client` routes calls, `built_in` calls the toolbox in memory, `external` starts and calls servers of others. It
must not import `serving`, `tools`, or the parts of `toolbox` that do the work.
"""
