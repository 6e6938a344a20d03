"""Runs the project's command-line programs, traces them, and reads the arguments their parsers take.

Programs: `read_parser`, `run_commands` and `trace_program`. Imports the standard library and
modules of the worker only.
"""
