"""The Action on a checkout that somebody else wrote: nothing in it is imported or executed outside the sandbox."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from testwright.tests.support.projects.files import ROOT

# What the Action's own programs import while they install.
SHADOWS = ("venv", "pip", "ensurepip", "subprocess", "json", "runpy", "hashlib", "sitecustomize", "usercustomize")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    folder.mkdir()
    for name in SHADOWS:
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r})\nraise SystemExit\n")
    return folder


def test_the_installation_imports_nothing_of_the_checkout(checkout: Path, tmp_path: Path) -> None:
    """A step begins in the checkout; pip has no index here, so that nothing is fetched."""
    environment = {"PATH": os.environ["PATH"], "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""}
    done = subprocess.run(
        [sys.executable, "-I", str(ROOT / "cli" / "github" / "prepare.py"), "install"],
        env={**environment, "TESTWRIGHT_ENVIRONMENT": str(tmp_path / "environment")},
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not (tmp_path / "ran").exists()
    assert (tmp_path / "environment" / "bin" / "python").exists(), done.stderr
    assert "pip failed" in done.stdout  # it came as far as pip


def test_the_run_imports_nothing_of_the_checkout(checkout: Path, tmp_path: Path) -> None:
    """As action.yml begins it."""
    assert '"$TESTWRIGHT_ENVIRONMENT/bin/python" -I -m testwright.main ci github' in (ROOT / "action.yml").read_text()
    done = subprocess.run(
        [sys.executable, "-I", "-m", "testwright.main", "--version"],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("testwright ")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("option", ["--version", "plan"])
def test_the_command_in_a_checkout_imports_nothing_of_it(option: str, checkout: Path, tmp_path: Path) -> None:
    more = ["unit tests", "--root", str(checkout)] if option == "plan" else []
    subprocess.run(
        [sys.executable, str(ROOT / "main.py"), option, *more], cwd=checkout, capture_output=True, check=False
    )
    assert not (tmp_path / "ran").exists()
