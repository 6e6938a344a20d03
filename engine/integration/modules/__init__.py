"""Static analysis of how a project's modules call each other.

`calls` resolves the calls of one module, `seams` builds the graph of all modules, `targets` selects entry modules.
"""
