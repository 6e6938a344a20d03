"""The outside of a repository, read from text without running anything: routes, pages, technology stack.

`survey` is the entry; `python_routes`, `pages` (with the routes of JavaScript) and `findings` (with the technology
stack) read one kind of file each; `findings` also has the data. Imports nothing of the other engines.
"""
