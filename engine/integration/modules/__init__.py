"""Static analysis of how a project's modules call each other.

`calls` resolves the calls of one module, `targets` builds the graph of all modules and selects entry modules.
"""
