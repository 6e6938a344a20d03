"""Finds where in the project stands what a page shows: templates, pages and code, by the words themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ....utils.untrusted_files import source_or_empty
from ..model.page import Json

_SUFFIXES = (
    ".py",
    ".html",
    ".htm",
    ".jinja",
    ".jinja2",
    ".j2",
    ".tmpl",
    ".mako",
    ".js",
    ".jsx",
    ".ts",
    ".tsx",
    ".vue",
    ".txt",
)
_NOT_READ = ("node_modules", "__pycache__", ".git", ".venv", "venv", ".testwright", "tests", "dist", "build")
_MOST_FILES = 300
_LEAST = 4


class TextPlaces:
    """The lines of a project that hold texts which people read.

    Args:
        root: the project's folder.
        first: paths that are looked into before others, the application's own first; the first one is the place of
            whatever stands nowhere, because it is made as the site runs.
    """

    def __init__(self, root: Path, first: Iterable[str]) -> None:
        self._first = [path for path in first if path]
        paths = [*self._first, *(path for path in _sources(root) if path not in self._first)]
        self._texts = [(path, source_or_empty(root, path).splitlines()) for path in paths[:_MOST_FILES]]

    def of(self, expectation: Json) -> Json | None:
        """The evidence of an expectation; None for a site of which nothing lies in the project."""
        locator = expectation.get("locator") or {}
        value = expectation.get("value")
        for text in (value, locator.get("name"), locator.get("value") if locator.get("by") != "role" else None):
            found = self._place(text) if isinstance(text, str) else None
            if found is not None:
                return found
        for path, lines in self._texts[:1] if self._first else ():
            return {"path": path, "lines": [1, max(1, len(lines))]}
        return None

    def _place(self, text: str) -> Json | None:
        """The line with the whole text, else with its longest run of words that is not made of numbers."""
        runs = [text, *sorted(re.split(r"[\d.,:€$£%–-]+", text), key=len, reverse=True)]
        for run in dict.fromkeys(part.strip() for part in runs):
            if len(run) < max(_LEAST, len(text) // 2):
                continue  # a word in common is no evidence
            for path, lines in self._texts:
                for number, line in enumerate(lines, 1):
                    if run in line:
                        return {"path": path, "lines": [number, number]}
        return None


def _sources(root: Path) -> list[str]:
    found: list[str] = []
    waiting = [root]
    while waiting and len(found) < _MOST_FILES:
        folder = waiting.pop(0)
        try:
            entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.is_symlink():
                continue
            if entry.is_dir() and entry.name not in _NOT_READ and not entry.name.startswith("."):
                waiting.append(entry)
            elif entry.suffix in _SUFFIXES and entry.is_file():
                found.append(entry.relative_to(root).as_posix())
    return found
