"""The integration engine: tests of modules that call each other, of servers and of programs.

`modules` analyses calls, `flows` and `programs` run code in the sandbox, `write` composes and renders, `model` has the
data. Uses the Python engine for values, observation and selection; must not import the API engine.
"""
