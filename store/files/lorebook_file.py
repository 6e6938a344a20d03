"""Keeps the lorebook of a project between runs, as one JSON file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...utils.canonical import digest_of, pretty_json
from ...utils.untrusted_files import read_json
from .files import make_folder, write_file


class LorebookFile:
    """The lorebook of one project, in a folder that only testwright writes and that projects may share.

    Args:
        folder: made when it is first written.
        root: the project.
        redact: takes secrets out of a JSON value, before it is stored and after it is read.
        fresh: read nothing of earlier runs.
    """

    def __init__(
        self,
        folder: Path,
        root: Path,
        *,
        redact: Callable[[Any], Any] = lambda value: value,
        fresh: bool = False,
    ) -> None:
        self._folder = folder
        self._name = f"lorebook-{digest_of(str(root.resolve()))[:16]}.json"
        self._redact = redact
        self._fresh = fresh

    def load(self) -> dict[str, Any]:
        """Return the lorebook; {} where there is none that reads: what it says helps, and nothing depends on it."""
        if self._fresh:
            return {}
        try:
            found = read_json(self._folder, self._name)
        except (OSError, ValueError):
            return {}
        return dict(self._redact(found)) if isinstance(found, dict) else {}

    def keep(self, lorebook: dict[str, Any]) -> None:
        """Store the lorebook in place of the one before. Raises StorageError."""
        write_file(make_folder(self._folder) / self._name, pretty_json(self._redact(lorebook)))
