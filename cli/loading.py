"""Loading what takes seconds to load, as quickly as that goes; settings with a word on what of them does not hold."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from ..app.fast_imports import fast_imports
from ..config.settings import Settings, load_settings


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
