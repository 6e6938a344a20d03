"""Values, arguments and receivers for trials.

`values` generates values by type, `calls` combines them into calls and constructions, `receivers` builds objects,
`learning` uses observations, `seeds` reads doctests, `natural` gives what a person would write.
Imports no package that runs code.
"""
