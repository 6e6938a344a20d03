"""External MCP servers: started, called, restarted once, and never trusted.

`server` is one configured server, `connection` its session, `process` and `http` its transports, `routing` and
`templates` map its tools to ours, `untrusted` cleans what it sends.
"""
