"""Runs of a project's programs: proposed, executed in the sandbox, selected.

`arguments` reads parsers, `documented` and `input_files` provide input, `proposals` combines them, `runs` executes and
selects. `documented` also finds wrong help texts.
"""
