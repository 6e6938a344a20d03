"""The settings of a project's own file: `testwright.toml`, else `[tool.testwright]` in `pyproject.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from ..core.errors import SettingsError
from .tool_servers import ToolServer, servers_from

PROJECT_FILE = "testwright.toml"
_PATHS = ("state_dir", "python", "prices")


def project_values(
    root: Path, known: Collection[str], expand: Callable[[dict[str, Any]], None] | None = None
) -> dict[str, Any]:
    """Values by field; empty without a file. Relative paths in it start at its folder.

    Args:
        known: the settings that a file may name.
        expand: replaces short forms, in place, before names are checked.

    Raises:
        SettingsError: the file does not read, or names what is not known.
    """
    path, table = _read(root)
    if not isinstance(table, dict):
        raise SettingsError(f"[tool.testwright] in {path} is not a table.")
    values = {name.replace("-", "_"): value for name, value in table.items()}
    if expand is not None:
        expand(values)
    unknown = sorted(set(values) - set(known))
    if unknown:
        told = ", ".join(known)
        raise SettingsError(f"{path}: unknown setting {', '.join(unknown)}.", advice=f"Known settings: {told}.")
    for name in _PATHS:
        if isinstance(values.get(name), str):
            values[name] = path.parent / values[name]
    if "mcp_servers" in values:
        values["mcp_servers"] = _servers(path, values["mcp_servers"])
    return values


def _read(root: Path) -> tuple[Path, Any]:
    own, shared = root / PROJECT_FILE, root / "pyproject.toml"
    if own.is_file():
        return own, _read_toml(own)
    if shared.is_file():
        tool = _read_toml(shared).get("tool", {})
        return shared, tool.get("testwright", {}) if isinstance(tool, dict) else {}
    return own, {}


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        if path.name != PROJECT_FILE:
            return {}
        raise SettingsError(f"{path} is not valid TOML: {error}.", advice="Mend the file, or remove it.") from error
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.") from error


def _servers(path: Path, said: Any) -> tuple[ToolServer, ...]:
    try:
        return servers_from(said, origin="project", folder=path.parent.absolute())
    except ValueError as error:
        raise SettingsError(f"{path}: mcp_servers.{error}.", advice="See docs/mcp-servers.md.") from error
