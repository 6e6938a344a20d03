"""Takes pytest's own settings out of a project's files of settings, so that the rest can be compared."""

from __future__ import annotations

import configparser
import json
import tomllib

_ONLY_PYTEST = frozenset({"pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini"})
_SECTIONS = frozenset({"pytest", "tool:pytest"})


def without_pytest_settings(path: str, content: bytes) -> bytes | None:
    """Return the content of a file without settings of pytest; None where nothing else is in it.

    Only files in the project's root that pytest reads are changed, and none that does not parse.

    Args:
        path: POSIX path relative to the root.
    """
    if path in _ONLY_PYTEST:
        return None
    try:
        if path == "pyproject.toml":
            return _toml_rest(content.decode("utf-8"))
        if path in ("tox.ini", "setup.cfg"):
            return _ini_rest(content.decode("utf-8"))
    except (ValueError, RecursionError, configparser.Error):
        return content
    return content


def _toml_rest(text: str) -> bytes | None:
    data = tomllib.loads(text)
    tools = data.get("tool")
    if isinstance(tools, dict):
        tools.pop("pytest", None)
        if not tools:
            del data["tool"]
    return json.dumps(data, sort_keys=True, default=str).encode() if data else None


def _ini_rest(text: str) -> bytes | None:
    parser = configparser.RawConfigParser(strict=True)
    parser.read_string(text)
    data = {name: dict(parser.items(name)) for name in parser.sections() if name not in _SECTIONS}
    if parser.defaults():
        data[parser.default_section] = dict(parser.defaults())
    return json.dumps(data, sort_keys=True).encode() if data else None
