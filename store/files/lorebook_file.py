"""Keeps the lorebook of a project between runs, as one JSON file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...utils.canonical import pretty_json
from ...utils.untrusted_files import read_json
from .files import make_folder, write_file

_NAME = "lorebook.json"


class LorebookFile:
    """The lorebook in a folder that only testwright writes.

    Args:
        folder: made when it is first written.
        fresh: read nothing of earlier runs.
    """

    def __init__(self, folder: Path, *, fresh: bool = False) -> None:
        self._folder = folder
        self._fresh = fresh

    def load(self) -> dict[str, Any]:
        """Return the lorebook; {} where there is none that reads: what it says helps, and nothing depends on it."""
        if self._fresh:
            return {}
        try:
            found = read_json(self._folder, _NAME)
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def keep(self, lorebook: dict[str, Any]) -> None:
        """Store the lorebook in place of the one before. Raises StorageError."""
        write_file(make_folder(self._folder) / _NAME, pretty_json(lorebook))
