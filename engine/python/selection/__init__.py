"""Selects the trials that become tests: for each callable a representative example, then rows that each add something.

`candidates` says what a trial shows and whether a test may show it, `representative` how well it represents its
callable, `trivial` which trivial implementations its rows would let pass, `select_trials` chooses, and
`assertable_selection` replaces what cannot be asserted. Imports search, judge, inputs, source and model; never mutants,
explore or write.
"""
