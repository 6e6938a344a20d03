"""Selects the project's own pytest settings that a run takes over.

Generated tests run under settings that change whether a test passes (`filterwarnings = error`, `xfail_strict`,
`pythonpath`), because the project's next run will apply them. What changes how pytest is called (addopts, testpaths,
cache, required plugins) never takes part. The project's own tests get everything else as well, and of addopts what
decides over how tests are found and read.
"""

from __future__ import annotations

import configparser
import shlex
import tomllib
from collections.abc import Sequence
from pathlib import Path

from ...utils.untrusted_files import read_source

Settings = tuple[tuple[str, str], ...]
DECIDING = frozenset({"filterwarnings", "markers", "xfail_strict", "pythonpath"})
LEFT_OUT = frozenset(
    {
        "cache_dir",
        "confcutdir",
        "collect_imported_tests",
        "console_output_style",
        "faulthandler_timeout",
        "log_cli",
        "log_cli_level",
        "log_file",
        "minversion",
        "norecursedirs",
        "required_plugins",
        "strict",
        "strict_config",
        "testpaths",
        "timeout",
        "timeout_method",
        "tmp_path_retention_count",
        "tmp_path_retention_policy",
    }
)


# Options in addopts that the project's own tests need: with a value of their own, or without one.
_FINDING = ("--import-mode", "--doctest-glob", "--asyncio-mode", "-W", "-p", "-m", "-k", "-o")
_SWITCHES = frozenset({"--doctest-modules", "--doctest-continue-on-failure", "--doctest-ignore-import-errors"})


def pytest_settings(project: Path) -> Settings:
    """The project's pytest settings without those that never take part, in their order; none when unreadable."""
    found = pytest_file(project)
    return () if found is None else tuple((key, value) for key, value in found[1] if key not in LEFT_OUT)


def pytest_file(folder: Path) -> tuple[str, Settings] | None:
    """The name of the file in which pytest finds a folder's settings, and all of them; None where there is none."""
    for name, reader in (
        ("pytest.ini", _ini_reader("pytest")),
        (".pytest.ini", _ini_reader("pytest")),
        ("pyproject.toml", _read_toml),
        ("tox.ini", _ini_reader("pytest")),
        ("setup.cfg", _ini_reader("tool:pytest")),
    ):
        path = folder / name
        if not path.is_file():
            continue
        found = reader(path)
        if found is not None:
            return name, found
    return None


def settings_above(project: Path) -> tuple[Path, Settings] | None:
    """The folder above the project that holds its pytest settings, where it has none, and these; up to its repository.

    None outside a repository: what lies above is nobody's project then.
    """
    project = project.resolve()
    if pytest_file(project) is not None or (project / ".git").exists():
        return None
    above = list(project.parents)
    top = next((number for number, folder in enumerate(above) if (folder / ".git").exists()), None)
    for folder in above[: 0 if top is None else top + 1]:
        found = pytest_file(folder)
        if found is not None:
            return folder, found[1]
    return None


def moved_configuration(settings: Settings, folder: Path, project: Path, copy: Path) -> str:
    """The text of a pytest.ini with the settings of a folder above the project, for a copy of the project.

    Folders outside the project are left out of the import path, and `testpaths`, which counts in that folder only.
    """
    lines = ["[pytest]"]
    for key, value in settings:
        if key in ("testpaths", "cache_dir", "log_file"):
            continue
        if key == "pythonpath":
            places = [(folder / word).resolve() for word in settings_words(value)]
            inside = [place.relative_to(project) for place in places if place.is_relative_to(project)]
            value = "\n".join(shlex.quote(str(copy / place)) for place in inside)
        first, *rest = value.strip().splitlines() or [""]
        lines += [f"{key} = {first.strip()}", *(f"    {line.strip()}" for line in rest if line.strip())]
    return "\n".join(lines) + "\n"


def configuration(settings: Settings, project: Path, *, complete: bool, unwanted: Sequence[str] = ()) -> str:
    """The text of a pytest.ini that may lie anywhere.

    Args:
        project: what its paths are relative to.
        complete: take over everything, else only what decides over passing.
        unwanted: plugins that are not asked for.
    """
    lines = ["[pytest]"]
    for key, value in settings:
        if not complete and key not in DECIDING:
            continue
        if key == "pythonpath":
            value = "\n".join(shlex.quote(str(project / word)) for word in settings_words(value))
        elif key == "addopts":
            value = shlex.join(_needed_options(settings_words(value), unwanted))
        first, *rest = value.strip().splitlines() or [""]
        lines += [f"{key} = {first.strip()}", *(f"    {line.strip()}" for line in rest if line.strip())]
    return "\n".join(lines) + "\n"


def settings_words(value: str) -> list[str]:
    """Split a setting of several words; none where a quotation does not end, with which pytest would not start."""
    try:
        return shlex.split(value)
    except ValueError:
        return []


def _needed_options(words: Sequence[str], unwanted: Sequence[str]) -> list[str]:
    """Those of addopts that say how tests are found and read, as single words."""
    kept = []
    left = list(words)
    while left:
        word = left.pop(0)
        name = next((one for one in _FINDING if word == one or word.startswith((f"{one}=", one)[len(one) == 2])), None)
        if word in _SWITCHES:
            kept.append(word)
        elif name is not None:
            value = left.pop(0) if word == name and left else word.removeprefix(name).removeprefix("=")
            if name != "-p" or value.removeprefix("no:").removeprefix("pytest_") not in unwanted:
                kept.append(f"{name}{'' if len(name) == 2 else '='}{value}")
    return kept


def _ini_reader(section: str):
    def read(path: Path) -> Settings | None:
        parser = configparser.RawConfigParser(strict=False)
        try:
            parser.read_string(read_source(path.parent, path.name))
        except (configparser.Error, UnicodeDecodeError, OSError):
            return None
        return tuple(parser.items(section)) if parser.has_section(section) else None

    return read


def _read_toml(path: Path) -> Settings | None:
    try:
        tool = tomllib.loads(read_source(path.parent, path.name)).get("tool", {})
    except (OSError, ValueError, RecursionError):  # among them numbers with too many digits
        return None
    table = tool.get("pytest") if isinstance(tool, dict) else None
    if not isinstance(table, dict):
        return None
    options = table.get("ini_options", table)
    return tuple((key, _as_text(value)) for key, value in options.items() if not isinstance(value, dict))


def _as_text(value: object) -> str:
    if isinstance(value, list):
        return "\n".join(str(item) for item in value)
    return str(value).lower() if isinstance(value, bool) else str(value)
