"""Which of the project's own pytest settings a run takes over.

Generated tests run under settings that change whether a test passes (`filterwarnings = error`, `xfail_strict`,
`pythonpath`), because the project's next run will apply them. What changes how pytest is called (addopts, testpaths,
cache, required plugins) never takes part. The project's own tests get everything else as well.
"""

from __future__ import annotations

import configparser
import tomllib
from pathlib import Path

Settings = tuple[tuple[str, str], ...]
DECIDING = frozenset({"filterwarnings", "markers", "xfail_strict", "pythonpath"})
LEFT_OUT = frozenset(
    {
        "addopts",
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


def pytest_settings(project: Path) -> Settings:
    """The project's pytest settings without those that never take part, in their order; none when unreadable."""
    for name, reader in (
        ("pytest.ini", _ini_reader("pytest")),
        (".pytest.ini", _ini_reader("pytest")),
        ("pyproject.toml", _read_toml),
        ("tox.ini", _ini_reader("pytest")),
        ("setup.cfg", _ini_reader("tool:pytest")),
    ):
        path = project / name
        if not path.is_file():
            continue
        found = reader(path)
        if found is not None:
            return tuple((key, value) for key, value in found if key not in LEFT_OUT)
    return ()


def configuration(settings: Settings, *, complete: bool) -> str:
    """The text of a pytest.ini; `complete` takes over everything, else only what decides over passing."""
    lines = ["[pytest]"]
    for key, value in settings:
        if not complete and key not in DECIDING:
            continue
        first, *rest = value.strip().splitlines() or [""]
        lines += [f"{key} = {first.strip()}", *(f"    {line.strip()}" for line in rest if line.strip())]
    return "\n".join(lines) + "\n"


def _ini_reader(section: str):
    def read(path: Path) -> Settings | None:
        parser = configparser.RawConfigParser(strict=False)
        try:
            parser.read_string(path.read_text(encoding="utf-8"))
        except (configparser.Error, UnicodeDecodeError, OSError):
            return None
        return tuple(parser.items(section)) if parser.has_section(section) else None

    return read


def _read_toml(path: Path) -> Settings | None:
    try:
        tool = tomllib.loads(path.read_text(encoding="utf-8")).get("tool", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError):
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
