"""The tools that work on one run or project, one in a file; `toolbox.registry` lists them.

A file defines `TOOL`. Tools marked for both audiences are also offered to clients of the product server. They must not
import `serving` or `tool_client`.
"""
