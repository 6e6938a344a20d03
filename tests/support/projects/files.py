"""Real projects from a dict of files, and the real command run on them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

# The project's own bare pytest, which closes each run, collects the tests at the first attempt, and without plugins
# that take longer to load than pytest itself. What it does in projects without such a file has tests of its own.
_UNUSED_PLUGINS = ("anyio", "asyncio", "benchmark", "playwright", "timeout", "xdist")
_ADDOPTS = " ".join(f"-p no:{one}" for one in _UNUSED_PLUGINS)
OWN_PYTEST = {"pytest.ini": f"[pytest]\npythonpath = src\naddopts = {_ADDOPTS}\n"}
FLAT_PYTEST = {"pytest.ini": OWN_PYTEST["pytest.ini"].replace("= src", "= .")}
"""The same where modules lie in the project's root."""

SMALL = {
    **OWN_PYTEST,
    "src/small/__init__.py": "",
    "src/small/numbers.py": '''"""Numbers."""


def clamp(value: int, low: int, high: int) -> int:
    """Keep a value between two bounds.

    >>> clamp(5, 0, 3)
    3
    """
    if low > high:
        raise ValueError("low is above high")
    return max(low, min(value, high))
''',
    "src/small/names.py": '''"""Names."""


def initials(name: str) -> str:
    """The first letters of each part, in capitals."""
    return "".join(part[0].upper() for part in name.split())
''',
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the command did."""

    code: int
    out: str
    err: str


def make_project(root: Path, files: Mapping[str, str] = SMALL) -> Path:
    """Write files below `root`, which is made, and answer it."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def copy_of_shop(into: Path) -> Path:
    """The shop example without what earlier runs left in it; its own pytest loads no plugins that no test needs."""
    shop = shutil.copytree(
        ROOT / "examples" / "shop",
        into / "shop",
        ignore=shutil.ignore_patterns(".testwright", "generated", "__pycache__"),
    )
    settings = shop / "pyproject.toml"
    found, path = settings.read_text("utf-8"), 'pythonpath = ["src"]\n'
    assert path in found
    settings.write_text(found.replace(path, f'{path}addopts = "{_ADDOPTS}"\n'), "utf-8")
    return shop


def run_command(
    *arguments: str,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    through: Sequence[str] = (),
    seconds: float = 280.0,
) -> Outcome:
    """`python main.py ARGUMENTS` in a folder, to its end.

    Args:
        environment: added to ours.
        through: a command that runs it, such as bubblewrap with its arguments.
        seconds: the most it may take.
    """
    done = subprocess.run(
        [*through, sys.executable, str(ROOT / "main.py"), *arguments],
        cwd=cwd,
        env={**os.environ, "COLUMNS": "200", **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its content, by POSIX path, without testwright's own state."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not {".testwright", "__pycache__"} & set(path.relative_to(folder).parts)
    }
