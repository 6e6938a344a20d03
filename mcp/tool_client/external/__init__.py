"""External MCP servers: started, called, restarted once, and never trusted.

`server` is one configured server with its HTTP transport and the cleaning of what it sends, `connection` its session,
`process` the transport to a program, `routing` maps its tools to ours.
"""
