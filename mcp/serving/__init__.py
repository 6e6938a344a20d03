"""The product's MCP server: tools, resources and prompts for other agents, over an application behind `McpBackend`.

`product_server` builds it; `context` holds the state of a server, `jobs`, `admission` and `progress` run long work,
`roots` confines paths, `transport` serves stdio and HTTP. It must not import `tool_client` or `app`.
"""
