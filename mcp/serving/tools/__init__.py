"""The tools that are for clients only, one in a file; `toolbox.registry` lists them.

Their handlers receive a `ClientCall`. `junit` reads results of other test runners.
"""
