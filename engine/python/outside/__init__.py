"""Stands in for the world outside: the clock, waiting, other programs, HTTP servers, databases.

A trial whose act reached outside is repeated with stand-ins in place of what it reached, arranged as a person would.
"""
