"""Starts coverage without what it finds out for messages that nobody asks for."""

import contextlib
import importlib
from typing import Any


def start(measurement):
    """Start a `coverage.Coverage`."""
    with _without_origin():
        measurement.start()


@contextlib.contextmanager
def _without_origin():
    """Let the collector not describe where it was made.

    It would ask for the source of each caller, for which `inspect` looks at the files of all modules that are loaded.
    """
    try:
        collector: Any = importlib.import_module("coverage.collector")
        described = collector.short_stack
    except (ImportError, AttributeError):  # another version
        yield
        return
    collector.short_stack = lambda *given, **named: ""
    try:
        yield
    finally:
        collector.short_stack = described
