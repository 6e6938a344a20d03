"""The settings of a project's own file: `testwright.toml`, else `[tool.testwright]` in `pyproject.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..core.errors import SettingsError
from ..utils.untrusted_files import read_source
from .tool_servers import ToolServer, servers_from

PROJECT_FILE = "testwright.toml"
_PATHS = ("state_dir", "python", "prices")


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """What a project's file says, as plain TOML values by field; none without a file.

    Attributes:
        path: the file; `testwright.toml` where there is none.
    """

    path: Path
    values: dict[str, Any] = field(default_factory=dict)

    def usable(self, names: Collection[str]) -> dict[str, Any]:
        """The values of these settings as the settings take them: relative paths start at the file's folder.

        Raises:
            SettingsError: an entry of the tool servers is wrong.
        """
        values = {name: value for name, value in self.values.items() if name in names}
        for name in _PATHS:
            if isinstance(values.get(name), str):
                values[name] = self.path.parent / values[name]
        if "mcp_servers" in values:
            values["mcp_servers"] = self._servers(values["mcp_servers"])
        return values

    def _servers(self, said: Any) -> tuple[ToolServer, ...]:
        try:
            return servers_from(said, folder=self.path.parent.absolute())
        except ValueError as error:
            raise SettingsError(f"{self.path}: mcp_servers.{error}.", advice="See docs/mcp-servers.md.") from error


def read_project_file(
    root: Path, known: Collection[str], expand: Callable[[dict[str, Any]], None] | None = None
) -> ProjectFile:
    """Read the project's file.

    Args:
        known: the settings that a file may name.
        expand: replaces short forms, in place, before names are checked.

    Raises:
        SettingsError: the file does not read, or names what is not known.
    """
    path, table = _read(root)
    if not isinstance(table, Mapping):
        raise SettingsError(f"[tool.testwright] in {path} is not a table.")
    values = {name.replace("-", "_"): value for name, value in table.items()}
    if expand is not None:
        expand(values)
    unknown = sorted(set(values) - set(known))
    if unknown:
        listed = ", ".join(known)
        raise SettingsError(f"{path}: unknown setting {', '.join(unknown)}.", advice=f"Known settings: {listed}.")
    return ProjectFile(path, values)


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
        return tomllib.loads(read_source(path.parent, path.name))
    except (ValueError, RecursionError) as error:  # among them numbers with too many digits
        if path.name != PROJECT_FILE:
            return {}
        raise SettingsError(f"{path} is not valid TOML: {error}.", advice="Mend the file, or remove it.") from error
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.") from error
