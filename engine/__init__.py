"""The embedded generator: analyses, proposes, observes, selects and renders. One folder a kind of tests.

`python/`: unit tests; `api/`: HTTP APIs; `integration/`: flows across modules, and programs; `repository/`: routes and
pages; `rendering.py` picks the renderer of a spec. No model and no protocol: agents and tools call it.
"""
