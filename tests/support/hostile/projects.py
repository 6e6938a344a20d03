"""Projects that try to do harm, from a dict of files, around one good module."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from testwright.tests.support.projects.files import OWN_PYTEST, Outcome, run_command
from testwright.tests.support.runs.command_line import invoke_command

SMALL = {"TESTWRIGHT_TRIALS": "20", "TESTWRIGHT_MUTANTS": "0"}

GOOD = '''"""Good."""


def double(n: int) -> int:
    """Twice.

    >>> double(2)
    4
    """
    if n < 0:
        raise ValueError("negative")
    return n * 2
'''


def hostile_project(
    root: Path, files: Mapping[str, str | bytes] | None = None, *, executable: tuple[str, ...] = ()
) -> Path:
    """Write the good module `src/pk/good.py` and the given files below `root`; returns `root`.

    Its `pytest.ini` lets the project's own pytest pass at its first attempt; what no configuration does is not the
    subject here.

    Args:
        executable: paths among `files` that get the mode of a program.
    """
    default = {"pyproject.toml": '[project]\nname = "pk"\nversion = "0"\n', "src/pk/__init__.py": ""}
    for name, content in {**default, **OWN_PYTEST, "src/pk/good.py": GOOD, **(files or {})}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape"))
    for name in executable:
        (root / name).chmod(0o755)
    return root


def run_on(root: Path, *arguments: str, environment: Mapping[str, str] | None = None, apart: bool = False) -> Outcome:
    """`testwright run "unit tests for everything"` on a project, with a small search and without mutants.

    Args:
        environment: added to ours, and stronger than what makes the run small.
        apart: in a process of its own, for tests about what our process imports.
    """
    run = run_command if apart else invoke_command
    return run(
        "run",
        "unit tests for everything",
        "--root",
        os.fspath(root),
        *arguments,
        cwd=root.parent,
        environment={**SMALL, **(environment or {})},
    )


def generated_text(root: Path) -> str:
    """Everything that was written below `tests/generated`, in one text."""
    files = sorted((root / "tests" / "generated").rglob("*"))
    return "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in files if path.is_file())
