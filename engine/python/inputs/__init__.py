"""Values, arguments and receivers for trials.

`values` generates values by type, `arguments` combines them into calls, `construct` and `receivers` build objects,
`learning` uses observations, `seeds` reads doctests, `fitting` checks types. Imports no package that runs code.
"""
