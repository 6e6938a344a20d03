"""Runs trials of one module in forked children and describes what they did: values, effects, arcs, exceptions.

Programs: `run_trials`. Imports the standard library and modules of the worker only.
"""
