"""Tells which symbols of a module no test file names."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .....engine.python.project.layout import ModulePlace
from .....utils.python_source import parse_or_none
from .....utils.untrusted_files import source_or_empty


@dataclass(frozen=True, slots=True)
class _TestFile:
    """What one test file names: top-level packages that it imports, and names that it uses."""

    packages: frozenset[str]
    names: frozenset[str]


class NamesInTests:
    """The names in a project's test files, which are read once, when they are first needed.

    Args:
        root: the project's root.
        test_files: POSIX paths relative to the root.
    """

    def __init__(self, root: Path, test_files: Iterable[str]) -> None:
        self._root = root
        self._paths = tuple(test_files)

    def untested(self, place: ModulePlace, symbols: Iterable[str]) -> tuple[str, ...]:
        """Select the public symbols of a module that no test file names.

        A symbol counts as used when a test file that imports the module's top-level package names it: `Class.method`
        by its last part, in a file that names the class too. A class counts as used when it is named. Tests that
        testwright wrote itself count like any other.

        Args:
            place: the module.
            symbols: qualified names, in order.
        """
        package = place.module.partition(".")[0]
        used = [file.names for file in self._files if package in file.packages]
        return tuple(
            symbol
            for symbol in symbols
            if not any(part.startswith("_") for part in symbol.split("."))
            and not any(set(symbol.split(".")) <= names for names in used)
        )

    @cached_property
    def _files(self) -> list[_TestFile]:
        return [_read(self._root / path) for path in self._paths]


def _read(path: Path) -> _TestFile:
    tree = parse_or_none(source_or_empty(path.parent, path.name, errors="replace"), path.name)
    names: set[str] = set()
    packages: set[str] = set()
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Import):
            packages |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            packages.add((node.module or "").partition(".")[0])
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
    return _TestFile(frozenset(packages), frozenset(names))
