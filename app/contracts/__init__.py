"""The registry of contracts: what every agent, tool and node takes, gives, reads, writes and calls, read from the code.

`node_source` reads the functions of the graphs, `registry` collects everything, `page` writes it as Markdown, `impact`
says what depends on a file, schema or component.
"""
