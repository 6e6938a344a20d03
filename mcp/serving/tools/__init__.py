"""The tools that are for clients only, one in a file; `toolbox.registry` lists them.

Their handlers receive a `ClientCall`; the docstring of a handler is the tool's description.
"""
