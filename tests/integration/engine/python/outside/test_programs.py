"""Code that starts other programs is tested with stand-ins that note the commands (B-11)."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.python.write.render import render
from testwright.tests.support.engine.exploration import files
from testwright.tests.support.engine.written_tests import written_spec
from testwright.tests.support.projects.files import make_project
from testwright.tests.support.projects.running import pytest_output

GIT = '''
import json
import subprocess


class GitError(Exception):
    """Git refused."""


def current_branch(folder: str = ".") -> str:
    """Return the name of the branch that is checked out."""
    command = ["git", "rev-parse", "--abbrev-ref", "HEAD"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def changed_files() -> list[str]:
    """Return the paths of changed files.

    Raises:
        GitError: git fails.
    """
    done = subprocess.run(["git", "status", "--porcelain"], capture_output=True, text=True)
    if done.returncode != 0:
        raise GitError(done.stderr.strip())
    return [line[3:] for line in done.stdout.splitlines() if line]


def count_commits(author: str) -> int:
    """Return how many commits an author has made."""
    output = subprocess.check_output(["git", "rev-list", "--count", "--author", author, "HEAD"])
    return int(output.decode().strip())


def packages() -> dict[str, str]:
    """Return the installed packages and their versions."""
    done = subprocess.run(["pip", "list", "--format", "json"], stdout=subprocess.PIPE, text=True, check=True)
    return {item["name"]: item["version"] for item in json.loads(done.stdout)}


def has_tool(name: str) -> bool:
    """Return whether a program can be started."""
    try:
        subprocess.run([name, "--version"], capture_output=True, check=True)
    except OSError:
        return False
    return True


def watch(folder: str) -> int:
    """Start a program that goes on running, and return its number."""
    return subprocess.Popen(["inotifywait", folder]).pid
'''


@pytest.mark.feature("B-11")
def test_programs_are_stood_in_for_and_their_commands_are_asserted(tmp_path: Path) -> None:
    spec = written_spec(tmp_path, GIT)
    text = render(spec, "pytest")
    assert 'assert commands == [["git", "rev-parse", "--abbrev-ref", "HEAD"]]' in text
    assert 'result == "main"' in text
    assert "pytest.raises(GitError" in text
    assert "result == 42" in text
    assert 'result == {"Ann": "1.2.3", "Bob": "1.3.0"}' in text
    assert "missing_program" in text
    assert [(one["subject"], "starts other programs" in one["reason"]) for one in spec["not_reached"]] == [
        ("watch", True)
    ]
    root = make_project(tmp_path / "elsewhere", {**files(GIT), "tests/test_written.py": text})
    assert "passed" in pytest_output(root)
