"""The outside of a repository, read from text without running anything: routes, pages, technology stack.

`survey` is the entry; `python_routes`, `javascript_routes`, `pages` and `stack` read one kind of file each;
`findings` has the data. Imports nothing of the other engines.
"""
