"""Parsers and linters for JavaScript and TypeScript: Node, a tool chain installed once, one short process a call."""
