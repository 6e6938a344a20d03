"""Finds the settings of isort where isort itself looks for them: in five files, folder by folder.

Order and sections are those of isort 5 to 8. black has one place only, `[tool.black]` in pyproject.toml.
"""

from __future__ import annotations

import configparser
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..utils.untrusted_files import source_or_empty

_PYPROJECT, _EDITORCONFIG = "pyproject.toml", ".editorconfig"
_SECTIONS: Mapping[str, tuple[str, ...]] = {
    ".isort.cfg": ("settings", "isort"),
    _PYPROJECT: (),
    "setup.cfg": ("isort", "tool:isort"),
    "tox.ini": ("isort", "tool:isort"),
    _EDITORCONFIG: (),
}
"""Files in isort's order, with the sections of those in INI form."""

_NAMING = (".pre-commit-config.yaml", _PYPROJECT, "setup.cfg", "tox.ini", "Makefile", "noxfile.py")
_NAMING_PATTERN = "*requirements*.txt"
_BRACES = re.compile(r"\*\.\{(?P<endings>[^}]*)\}")


def isort_table(folders: Sequence[Path]) -> Mapping[str, Any] | None:
    """What the nearest settings of isort say; None where there are none. Blocks.

    An `.editorconfig` speaks to every editor, so that it counts only where the project names isort somewhere.

    Args:
        folders: from that of the file upwards, as far as settings may lie.
    """
    for folder in folders:
        for name in _SECTIONS:
            found = _table(folder, name)
            if found is not None and (name != _EDITORCONFIG or _names_isort(folders)):
                return found
    return None


def _table(folder: Path, name: str) -> Mapping[str, Any] | None:
    if not (folder / name).is_file():
        return None
    text = source_or_empty(folder, name)
    if name == _PYPROJECT:
        return _of_pyproject(text)
    if name == _EDITORCONFIG:
        # Its first lines may stand before any section, which configparser refuses.
        return _of_editorconfig(_parsed(text[text.find("[") :] if "[" in text else ""))
    parser = _parsed(text)
    found = [dict(parser[section]) for section in _SECTIONS[name] if parser.has_section(section)]
    return {key: value for table in found for key, value in table.items()} if found else None


def _of_pyproject(text: str) -> Mapping[str, Any] | None:
    try:
        tools = tomllib.loads(text).get("tool", {})
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    found = tools.get("isort") if isinstance(tools, dict) else None
    return found if isinstance(found, dict) else None


def _of_editorconfig(parser: configparser.RawConfigParser) -> Mapping[str, Any] | None:
    """The line length that the sections about Python files set; later sections come first, as editors have it."""
    lengths = [parser[section].get("max_line_length") for section in parser.sections() if _is_about_python(section)]
    said = [length.strip() for length in lengths if length is not None]
    return {"line_length": said[-1]} if said and said[-1].isdigit() else None


def _is_about_python(section: str) -> bool:
    braces = _BRACES.fullmatch(section)
    endings = [ending.strip() for ending in braces["endings"].split(",")] if braces else []
    return section in ("*", "*.py", "**.py") or "py" in endings


def _parsed(text: str) -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return configparser.RawConfigParser()
    return parser


def _names_isort(folders: Sequence[Path]) -> bool:
    return any(
        "isort" in source_or_empty(folder, name)
        for folder in folders
        for name in (*_NAMING, *(path.name for path in sorted(folder.glob(_NAMING_PATTERN))))
        if (folder / name).is_file()
    )
