"""Projects with files that are none, folders without end, and imports that never end: the rest is tested."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from testwright.core.exit_code import ExitCode
from testwright.tests.support.hostile.host import unharmed
from testwright.tests.support.hostile.projects import generated_text, hostile_project, run_on
from testwright.tests.support.runs.command_line import invoke_command
from testwright.utils.untrusted_folders import remove_tree

pytestmark = pytest.mark.feature("B-05")

PIPES = ("README.md", "conftest.py", "setup.cfg", "setup.py", "tox.ini", "src/pk/pipe.py", "tests/test_pipe.py")
# Keeps the processor again and again until it is ended, and leaves it to others in between.
ENDLESS = """import threading

while True:
    for _ in range(100_000):
        pass
    threading.Event().wait(0.1)


def f(): ...
"""
LINKS = {"src/pk/gone.py": "/nonexistent/x.py", "src/pk/endless.py": "/dev/zero", "src/pk/loop.py": "loop.py"}


def test_pipes_links_devices_and_endless_folders_are_named_and_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deep: Callable[[Path], None]
) -> None:
    root = hostile_project(tmp_path / "project", {"src/pk/large.py": b"A = 1\n" * 4_000_000, "tests/__init__.py": ""})
    (root / "pytest.ini").unlink()  # with it pytest would look at none of the other files of settings
    for name in PIPES:
        os.mkfifo(root / name)
    for name, target in LINKS.items():
        (root / name).symlink_to(target)
    monkeypatch.chdir(root)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.py")
    deep(root / "deep")
    with unharmed(root / "src", marker=str(root)):
        outcome = run_on(root)
    assert outcome.code == ExitCode.OK, outcome.out + outcome.err
    assert "double" in generated_text(root)
    for name in ("README.md", "conftest.py", "src/pk/gone.py", "src/pk/endless.py", "socket.py"):
        assert f"{name}: neither a regular file" in outcome.out
    assert "folders deep" in outcome.out
    assert "large.py: larger than 16 MiB" in outcome.out


def test_endless_folders_of_a_killed_run_are_cleaned_away(tmp_path: Path, deep: Callable[[Path], None]) -> None:
    root = hostile_project(tmp_path / "project")
    assert run_on(root, "--no-run").code == ExitCode.OK
    (run,) = (root / ".testwright" / "runs").iterdir()
    deep(run / "scratch")
    os.mkfifo(run / "scratch" / "pipe")
    listed = invoke_command("runs", "list", "--root", os.fspath(root), cwd=tmp_path)
    cleaned = invoke_command("clean", "--keep", "0", "--root", os.fspath(root), cwd=tmp_path)
    assert (listed.code, cleaned.code) == (ExitCode.OK, ExitCode.OK), listed.err + cleaned.err
    assert list((root / ".testwright" / "runs").iterdir()) == []


def test_an_import_that_never_ends_costs_its_seconds_only(tmp_path: Path) -> None:
    root = hostile_project(tmp_path / "project", {"src/pk/endless.py": ENDLESS})
    with unharmed(root, marker=str(root)):
        outcome = run_on(root, environment={"TESTWRIGHT_IMPORT_SECONDS": "2"})
    assert "double" in generated_text(root)
    assert "did not come to an end within 2 s" in outcome.out


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Callable[[Path], None]]:
    """Makes folders inside each other, deeper than a path can name, and than pytest can remove."""
    made: list[Path] = []

    def make(folder: Path) -> None:
        made.append(folder)
        _make_deep(folder, 3000)

    yield make
    for folder in made:
        remove_tree(folder)


def _make_deep(folder: Path, levels: int) -> None:
    folder.mkdir(exist_ok=True)
    place = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=place)
        inner = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    os.close(place)
