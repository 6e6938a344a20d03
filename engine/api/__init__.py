"""The embedded generator of API tests: read the document, propose requests, observe answers, judge, write tests.

`document/` finds and starts the application and reads its OpenAPI document, `values/` makes values that satisfy or
violate a schema, `probe/` sends requests and judges the answers, `write/` turns observations into a spec and test
files, `model/` is their plain data. Imports run in the order write, probe, document and values, model. Nothing here
asks a model or knows the MCP layer.
"""
