"""Browser tests: a site explored in a real Chromium, its flows chosen, and tests of what a person sees.

`explore/explore.py` is the entry: a launch → flows. `write/compose.py` makes the spec of them, `write/render.py` the
test files. Imports point one way: write → explore → model.
"""
