"""Adds one line to a project's file of settings, with the user's consent, and changes nothing else in it."""

from __future__ import annotations

import configparser
import re
import tomllib
from pathlib import Path, PurePosixPath
from typing import Any

from ...core.errors import UsageError
from ...utils.untrusted_files import read_source, write_file
from ...utils.untrusted_folders import reserved_folder
from .files import typed_errors

_PYTEST_FILES = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
_PYTEST_SECTIONS = ("pytest", "tool:pytest", "tool.pytest", "tool.pytest.ini_options")
_KEYS = ("pythonpath", "testpaths")


def add_setting(root: Path, file: str, section: str, key: str, line: str) -> bool:
    """Put a line into a section, in place of the key's earlier one, and make file and section where they are missing.

    Args:
        file: POSIX path relative to the root.
        line: the whole setting, in the file's form.

    Returns:
        Whether the file was changed; False when it says the same already.

    Raises:
        UsageError: the file lies above the project, or the line cannot be added without changing something else.
        StorageError: the file cannot be read or written.
    """
    place = root / file
    by_hand = f"Add to {file}, [{section}]: {line}"
    if PurePosixPath(file).is_absolute() or ".." in PurePosixPath(file).parts:
        raise UsageError(f"{file} lies outside the project, so it is not changed here.", advice=by_hand)
    # What a report says may come from a clone: it must not change what git, an environment or a shell obeys.
    is_pytests = PurePosixPath(file).name in _PYTEST_FILES and section in _PYTEST_SECTIONS and key in _KEYS
    if not is_pytests or reserved_folder(file):
        raise UsageError(f"{file}, [{section}] {key} is no setting of pytest's that is changed here.", advice=by_hand)
    with typed_errors(place, "read"):
        old = read_source(root, file) if place.exists() or place.is_symlink() else ""
    new = _with_line(old, section, key, line)
    if new == old:
        return False
    if not _is_only_change(file, old, new, section, key):
        raise UsageError(f"{file} has a form that is not changed here without risk.", advice=by_hand)
    with typed_errors(place, "write"):
        write_file(root, file, new)
    return True


def _with_line(text: str, section: str, key: str, line: str) -> str:
    header = re.search(rf"^\[{re.escape(section)}\][ \t]*(?:#.*)?$", text, re.MULTILINE)
    if header is None:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{gap}[{section}]\n{line}\n"
    following = re.search(r"^\[", text[header.end() :], re.MULTILINE)
    end = len(text) if following is None else header.end() + following.start()
    body = text[header.end() : end]
    earlier = re.search(rf"^{re.escape(key)}[ \t]*=.*$", body, re.MULTILINE)
    changed = f"\n{line}{body}" if earlier is None else body[: earlier.start()] + line + body[earlier.end() :]
    return text[: header.end()] + changed + text[end:]


def _is_only_change(file: str, old: str, new: str, section: str, key: str) -> bool:
    """Whether the file reads as before, but for the key: a value of several lines would not."""
    try:
        before, after = _settings(file, old), _settings(file, new)
    except (ValueError, RecursionError, configparser.Error):
        return False
    table_before, table_after = _table(before, file, section), _table(after, file, section)
    table_before.pop(key, None)
    return table_after.pop(key, None) is not None and _pruned(before) == _pruned(after)


def _settings(file: str, text: str) -> dict[str, Any]:
    if file.endswith(".toml"):
        return tomllib.loads(text)
    parser = configparser.RawConfigParser(strict=True)
    parser.read_string(text)
    return {name: dict(parser.items(name)) for name in parser.sections()}


def _table(settings: dict[str, Any], file: str, section: str) -> dict[str, Any]:
    table = settings
    for name in section.split(".") if file.endswith(".toml") else [section]:
        found = table.setdefault(name, {})
        table = found if isinstance(found, dict) else {}
    return table


def _pruned(value: Any) -> Any:
    """Without empty tables, which a new section leaves once its key is taken out."""
    if not isinstance(value, dict):
        return value
    parts = {name: _pruned(part) for name, part in value.items()}
    return {name: part for name, part in parts.items() if part != {}}
