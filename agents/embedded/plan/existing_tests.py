"""Finds public symbols that a project's own tests do not use yet, for "only what has no tests"."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

from ....engine.python.project.layout import ModulePlace
from ....utils.python_source import parse_python
from ....utils.untrusted_files import read_source


def untested_symbols(
    root: Path, test_files: Iterable[str], place: ModulePlace, symbols: Iterable[str]
) -> tuple[str, ...]:
    """Select the public symbols of a module that no test file names.

    A symbol counts as used when a test file that imports the module's top-level package names it: `Class.method` by its
    last part, in a file that names the class too. A class counts as used when it is named. Tests that testwright wrote
    itself count like any other.

    Args:
        root: the project's root.
        test_files: POSIX paths relative to the root.
        place: the module.
        symbols: qualified names, in order.
    """
    names_by_file = [_names(root / path, place.module.partition(".")[0]) for path in test_files]
    return tuple(
        symbol
        for symbol in symbols
        if not any(part.startswith("_") for part in symbol.split("."))
        and not any(set(symbol.split(".")) <= names for names in names_by_file)
    )


def _names(path: Path, package: str) -> frozenset[str]:
    try:
        tree = parse_python(_text(path), path.name)
    except SyntaxError:
        return frozenset()
    names: set[str] = set()
    imported = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= any(alias.name.partition(".")[0] == package for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            imported |= (node.module or "").partition(".")[0] == package
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
    return frozenset(names) if imported else frozenset()


def _text(path: Path) -> str:
    try:
        return read_source(path.parent, path.name, errors="replace")
    except OSError:
        return ""
