"""How clients reach a server of ours: over the process's own streams, or over streamable HTTP (T-11)."""
