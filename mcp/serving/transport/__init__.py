"""The transports of our servers: the process's own streams, and streamable HTTP.

`stdio` and `http_server` are the entries; the other modules check, bound and track what arrives. It imports the SDK's
names from `mcp.sdk` only, and must not import tools.
"""
