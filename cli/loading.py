"""Loading what takes seconds to load, as quickly as that goes; settings with a word on what of them does not hold."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..config.settings import Settings, load_settings

_THRESHOLDS = (20_000, 20, 20)


@contextmanager
def fast_imports() -> Iterator[None]:
    """Import inside the block without looking for garbage: there is none, and what is imported stays.

    Afterwards the collector leaves all that alone for good, and looks more rarely: a command ends before long, and most
    of what it makes it keeps to its end.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(*_THRESHOLDS)
        gc.enable()


def load_service():
    """Import the use cases. A command does so when it runs: what they need takes a second, and help must not wait."""
    with fast_imports():
        from ..app import service
    return service


def load_settings_aloud(flags: Mapping[str, Any]) -> Settings:
    """`load_settings` for commands that start no run: what of the project's file does not hold is said on stderr.

    Raises:
        ProjectError, SettingsError: as `load_settings`.
    """
    settings = load_settings(flags)
    if settings.ignored:
        sys.stderr.write(f"{settings.ignored}\n")
    return settings
