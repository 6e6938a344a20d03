"""Reads projects, documents and test code; no protocol, no model.

`openapi` reads API documents, `test_checks` validates specs and test code, `builds` runs a project's own build,
`javascript` runs ESLint and parsers in Node, `code_search` ranks passages, `repository` lists a checkout. The MCP
tools, the graph and the application use it; it imports none of them, nor `agents`.
"""
