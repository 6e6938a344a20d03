"""Runs of a project's programs: proposed, executed in the sandbox, selected.

`arguments` reads parsers and provides values and files, `documented` reads the commands in documents and finds wrong
help texts, `proposals` combines them, `runs` executes and selects.
"""
