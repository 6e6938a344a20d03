"""Words one line of a project's pytest settings, for the file in which pytest reads them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from ...utils.untrusted_files import read_source
from .project_config import Settings, pytest_file, settings_words

ListSetting = Literal["pythonpath", "testpaths"]
_INI_SECTIONS = {"setup.cfg": "tool:pytest"}


@dataclass(frozen=True, slots=True)
class PytestSetting:
    """A line for a file of settings.

    Attributes:
        file: POSIX path relative to the project; `../…` for a file above it. It need not exist yet.
        section: the table or section that the line belongs to, without brackets.
        line: the whole setting, with the values that are there already.
    """

    file: str
    section: str
    key: str
    line: str

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return asdict(self)


def list_setting(
    project: Path, key: ListSetting, added: Sequence[str], *, above: tuple[Path, Settings] | None = None
) -> PytestSetting:
    """Word a setting of several paths: those that are set, then the added ones.

    Args:
        added: POSIX paths relative to the project.
        above: the folder above the project that holds its settings, see `settings_above`.
    """
    folder = project if above is None else above[0]
    found = pytest_file(folder)
    name = (
        found[0] if found is not None else "pyproject.toml" if (folder / "pyproject.toml").is_file() else "pytest.ini"
    )
    settings = dict(found[1]) if found is not None else {}
    prefix = project.relative_to(folder)
    values = [*settings_words(settings.get(key, "")), *((prefix / path).as_posix() for path in added)]
    unique = list(dict.fromkeys(values))
    up = "../" * len(prefix.parts)
    if name == "pyproject.toml":
        return PytestSetting(f"{up}{name}", _toml_section(folder), key, f"{key} = {json.dumps(unique)}")
    section = _INI_SECTIONS.get(name, "pytest")
    return PytestSetting(f"{up}{name}", section, key, f"{key} = {shlex.join(unique)}")


def _toml_section(folder: Path) -> str:
    """pytest 9 reads `[tool.pytest]` as well; a project that uses it keeps it."""
    text = read_source(folder, "pyproject.toml", errors="replace")
    return "tool.pytest" if "[tool.pytest]" in text else "tool.pytest.ini_options"
