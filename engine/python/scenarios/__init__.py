"""Scenarios: short programs as a person writes them, whose outcome is known beforehand in one respect.

A search finds calls; it does not find that a result is remembered, that a clock moves between two calls, or that what
was saved can be loaded. Each scenario says by a condition what it shows, and is kept only where the module does that.
"""
