"""Generates performance tests: how the time of a call grows with its input, what it costs, what a cache saves.

Facts and working calls come from the unit engine; times are measured in the sandbox (`sandbox/worker/timing`).
"""
