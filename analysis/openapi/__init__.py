"""Reads OpenAPI documents: locates, fetches, parses, bundles, checks and summarizes them.

`lookup` finds the document an endpoint means, `tree` parses JSON and YAML with line numbers and within bounds, `bundle`
makes one document of several, `document_rules` checks it, `swagger` converts version 2.0, `document_analysis` combines
these, `tool_answer` shapes the result. Own code, not a library, bounds depth,
aliases, size and time and words the messages.
"""
