"""Checks JavaScript and TypeScript with ESLint and its parsers.

`chain` finds Node and npm and installs the locked tool chain once per lock file, `checks` runs one short Node process
per call. The project's own configuration and plugins are never loaded, because that would run the project's
code.
"""
