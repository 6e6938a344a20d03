"""Runs of a project's programs: proposed, executed in the sandbox, selected.

`arguments` reads parsers, `documented_commands` and `input_files` provide input, `proposals` combines them, `runs`
executes and selects, `documented_defaults` finds wrong help texts.
"""
