"""Loads pytest with the plugins that each of its sessions has, in a process that forks itself for sessions.

pytest itself loads them when a session starts, before anything of the project; each fork would do that again.
"""

import contextlib
import importlib


def load_pytest():
    """Import pytest and its own plugins. Raises ImportError where there is no pytest."""
    import pytest  # noqa: F401
    from _pytest import config

    # Older versions of pytest load what completes their options when they first read some.
    for name in ("_argcomplete", *getattr(config, "default_plugins", ())):
        with contextlib.suppress(ImportError):  # a session says so itself, if it wants this one
            importlib.import_module("_pytest." + name)
