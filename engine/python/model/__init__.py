"""Plain data that the stages of the Python engine exchange.

`model` has facts, values for parameters, trials, observations and findings; `spec_case` the cases of the unit spec;
`observation_json` parses the worker's answers; `arcs` computes branch coverage; `mutant_search` has the limits and
results of the mutant search. Imports no other package of the engine.
"""
