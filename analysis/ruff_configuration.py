"""Finds the settings that decide about the layout of a file: those of ruff around it, of black and of isort.

A ruff configuration may name another file anywhere (`extend`). Of those, the files of the project's repository are
read, and above it the ones that carry a name of ruff's own in a folder around the file that names them.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..utils.untrusted_files import source_or_empty
from .formatter_settings import as_names, black_options, isort_options, isort_sets_length
from .isort_files import isort_table

_FILES = (".ruff.toml", "ruff.toml", "pyproject.toml")
_IMPORT_RULES = ("I", "ALL")
_MOST_EXTENDED = 20


@dataclass(frozen=True, slots=True)
class LayoutSettings:
    """What the layout of a file follows.

    Attributes:
        readable: files outside of the project that ruff reads for it.
        isolated: ruff has no configuration of its own there.
        ordering: options for the order of imports, by ruff's name, beside its configuration.
        formatting: options for the formatter.
        required: statements of import that each file must have.
    """

    readable: tuple[Path, ...] = ()
    isolated: bool = False
    ordering: Mapping[str, Any] = field(default_factory=dict)
    formatting: Mapping[str, Any] = field(default_factory=dict)
    required: tuple[str, ...] = ()


def layout_settings(root: Path, path: str) -> LayoutSettings | None:
    """The settings for a file that is at a path of the project, or will be; None where nothing is configured. Blocks.

    Settings of black count for what ruff's configuration leaves to it, which is the format where that has no table for
    its formatter; those of isort where ruff's has no table for imports and none of its rules about them.

    Args:
        root: the project, resolved.
        path: relative to it.

    Raises:
        ValueError: ruff's configuration names a file that must not be read.
    """
    folders = [folder for folder in (root / path).parents if folder.is_relative_to(root)] + [*_above(root)]
    black, isort = _first_table(folders, "black"), isort_table(folders)
    nearest = next((file for folder in folders if (file := _ruff_file(folder)) is not None), None)
    if nearest is None and black is None and isort is None:
        return None
    files = _extended(root, nearest) if nearest is not None else {}
    tables = list(files.values())
    lint = [_table(table, "lint") for table in tables]
    imports = [one for table in (*tables, *lint) if (one := _table(table, "isort"))]
    ordering = isort_options(isort) if isort is not None and not imports and not _has_import_rules(tables, lint) else {}
    formatting = {}
    if black is not None and not any("format" in table for table in tables):
        formatting = black_options(black)
    elif isort is not None and isort_sets_length(isort) and not tables:
        formatting = {"line-length": ordering["line-length"]}
    if not tables and not ordering:
        # Imports that isort does not order may be as long as black's lines.
        ordering = {key: value for key, value in formatting.items() if key == "line-length"}
    required = [row for one in imports for row in as_names(one.get("required-imports") or [])]
    return LayoutSettings(
        readable=_outside(root, files),
        isolated=nearest is None,
        ordering=ordering,
        formatting=formatting,
        required=(*required, *ordering.get("lint.isort.required-imports", ())),
    )


def _outside(root: Path, files: Mapping[Path, object]) -> tuple[Path, ...]:
    """The files beyond the project, with those beside each that ruff looks at as well."""
    beyond = {path.parent for path in files if not path.is_relative_to(root)}
    named = [path for path in files if not path.is_relative_to(root)]
    beside = [folder / name for folder in beyond for name in _FILES if (folder / name).is_file()]
    return tuple(dict.fromkeys([*named, *beside]))


def _has_import_rules(*levels: Sequence[Mapping[str, Any]]) -> bool:
    tables = [table for level in levels for table in level]
    chosen = [
        rule for table in tables for key in ("select", "extend-select") for rule in as_names(table.get(key) or [])
    ]
    return any(rule in _IMPORT_RULES or rule.startswith("I00") for rule in chosen)


def _table(of: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = of.get(name)
    return found if isinstance(found, dict) else {}


def _extended(root: Path, file: Path) -> dict[Path, Mapping[str, Any]]:
    """Ruff's settings by file: of one, and of those that it extends. Raises ValueError as `layout_settings`."""
    tables: dict[Path, Mapping[str, Any]] = {}
    while file not in tables and len(tables) < _MOST_EXTENDED:
        tables[file] = table = _ruff_table(file) or {}
        named = table.get("extend")
        if not isinstance(named, str) or not named:
            break
        file, naming = Path(os.path.normpath(file.parent / Path(named).expanduser())), file
        _check_readable(root, file, naming)
    return tables


def _check_readable(root: Path, file: Path, naming: Path) -> None:
    top = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
    # A link inside of the repository must not lead out of it either.
    real = file.resolve()
    around = file.name in _FILES and file.parent in naming.parents and real == file
    if not real.is_relative_to(top) and not around:
        raise ValueError(
            f"{naming.name} extends {file}, which is outside of the repository and no {', '.join(_FILES[:2])} or "
            f"{_FILES[2]} in a folder above it"
        )
    if not real.is_file():
        raise ValueError(f"{naming.name} extends {file}, which is not there")


def _above(root: Path) -> Sequence[Path]:
    """The folders above the project up to its repository's; none outside a repository, where nobody's settings lie."""
    if (root / ".git").exists():
        return ()
    parents = list(root.parents)
    top = next((number for number, folder in enumerate(parents) if (folder / ".git").exists()), -1)
    return parents[: top + 1]


def _ruff_file(folder: Path) -> Path | None:
    return next((folder / name for name in _FILES if _ruff_table(folder / name) is not None), None)


def _ruff_table(file: Path) -> Mapping[str, Any] | None:
    """What a file says to ruff; None where it is not there, or a pyproject.toml that says nothing to it.

    A file of ruff's own that cannot be read says nothing: ruff complains about it in its own words.
    """
    if not file.is_file():
        return None
    if file.name == _FILES[2]:
        return _tools(file.parent).get("ruff")
    return _toml(file)


def _first_table(folders: Sequence[Path], name: str) -> Mapping[str, Any] | None:
    found = (_tools(folder).get(name) for folder in folders)
    return next((table for table in found if isinstance(table, dict)), None)


def _tools(folder: Path) -> dict[str, Any]:
    """The tables of `[tool]` in a folder's pyproject.toml; none where it does not read."""
    tools = _toml(folder / _FILES[2]).get("tool", {})
    return {name: table for name, table in tools.items() if isinstance(table, dict)} if isinstance(tools, dict) else {}


def _toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(source_or_empty(file.parent, file.name))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
