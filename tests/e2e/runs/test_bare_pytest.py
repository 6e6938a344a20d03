"""After a run, a person types `pytest` in the project's root."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from testwright.tests.support.projects.files import Outcome, make_project
from testwright.tests.support.projects.running import WITHOUT_PLUGINS
from testwright.tests.support.runs.command_line import invoke_command

pytestmark = pytest.mark.feature("T-06")

Run = Callable[..., Outcome]
QUICK = ("--trials", "200", "--mutants", "0")
CODE = '"""Prices."""\n\n\ndef net(cents: int) -> int:\n    """Without tax.\n\n    >>> net(119)\n    100\n    """\n'
CODE += "    return cents * 100 // 119\n"
PYPROJECT = '[project]\nname = "till"\nversion = "1"\n'
PROJECTS = {
    "flat": ({"till/__init__.py": "", "till/prices.py": CODE}, ["pytest.ini, [pytest]: pythonpath = ."]),
    "src": (
        {"src/till/__init__.py": "", "src/till/prices.py": CODE, "pyproject.toml": PYPROJECT},
        ['pyproject.toml, [tool.pytest.ini_options]: pythonpath = ["src"]'],
    ),
    "src that finds itself": (
        {
            "src/till/__init__.py": "",
            "src/till/prices.py": CODE,
            "pyproject.toml": f'{PYPROJECT}[tool.pytest.ini_options]\npythonpath = "src"\n',
        },
        [],
    ),
    "two packages, importlib": (
        {
            "packages/a/src/till/__init__.py": "",
            "packages/a/src/till/prices.py": CODE,
            "packages/b/src/shelf/__init__.py": "",
            "packages/b/src/shelf/prices.py": CODE,
            "packages/a/pyproject.toml": PYPROJECT,
            "packages/b/pyproject.toml": PYPROJECT.replace("till", "shelf"),
            "pytest.ini": "[pytest]\naddopts = --import-mode=importlib\n",
        },
        ["pytest.ini, [pytest]: pythonpath = packages/a/src packages/b/src"],
    ),
    "test paths elsewhere": (
        {
            "till/__init__.py": "",
            "till/prices.py": CODE,
            "checks/test_own.py": "def test_own():\n    pass\n",
            "pytest.ini": "[pytest]\ntestpaths = checks\npythonpath = .\n",
        },
        ["pytest.ini, [pytest]: testpaths = checks tests/generated/till"],
    ),
}


def bare_pytest(root: Path) -> subprocess.CompletedProcess[str]:
    """What the console script does, which puts no folder on the import path, and only in this project's settings."""
    code = "import sys; sys.path[:] = [p for p in sys.path if p]; import pytest; sys.exit(pytest.console_main())"
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ} | WITHOUT_PLUGINS
    return subprocess.run(
        [sys.executable, "-c", code, "-p", "no:langsmith_plugin"],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture(scope="module")
def run(plain_python: Path) -> Run:
    """The command `run` with a small search; pytest is lent, so that no plugins of our environment are loaded."""
    return partial(invoke_command, "run", *QUICK, "--python", str(plain_python))


def run_installed(*words: str, cwd: Path) -> Outcome:
    """The same with the pytest of the project's environment, which is ours."""
    return invoke_command("run", *words, *QUICK, cwd=cwd)


@pytest.mark.parametrize("name", PROJECTS)
def test_the_added_tests_pass_under_a_bare_pytest_once_the_lines_shown_are_added(tmp_path, name, run):
    files, lines = PROJECTS[name]
    root = make_project(tmp_path / "p", files)
    chosen = run_installed if name.startswith("src") else run
    ran = chosen("unit tests of everything", cwd=root)
    assert ran.code == 0, ran.out + ran.err
    # Long lines are wrapped for the terminal.
    said = " ".join(ran.out.split())
    if lines:
        assert "Your own `pytest` needs a line first" in said
        assert all(f"Add to {line}" in said for line in lines)
        assert "--configure-pytest" in said
        changed = invoke_command("apply", "latest", "--configure-pytest", cwd=root)
        assert changed.code == 0, changed.out + changed.err
        assert all(f"added to {line}" in " ".join(changed.out.split()) for line in lines)
    else:
        assert "The project's own `pytest` collects and passes" in said
    passes = bare_pytest(root)
    assert passes.returncode == 0, passes.stdout
    written = sorted(path.name for path in root.glob("tests/generated/**/test_*.py"))
    assert written
    assert all(name in passes.stdout for name in written)


def test_consent_in_advance_adds_the_line_in_the_run_itself(tmp_path, run):
    root = make_project(tmp_path / "p", PROJECTS["src"][0])
    ran = run("till.prices", "--configure-pytest", cwd=root)
    assert 'added to pyproject.toml, [tool.pytest.ini_options]: pythonpath = ["src"]' in " ".join(ran.out.split())
    assert bare_pytest(root).returncode == 0


MONEY = '"""Money."""\n\n\ndef cents(euros: int) -> int:\n    """Euros in cents."""\n    return euros * {rate}\n\n\n'
MONEY += 'def euros(cents: int) -> int:\n    """Whole euros."""\n    return cents // 100\n'
# What is new beside the change is what a narrow request may ask for.
NEW = '\n\ndef francs(euros: int) -> int:\n    """Euros in francs."""\n    return euros * 7\n'


@pytest.fixture(scope="module")
def changed(tmp_path_factory, run) -> Path:
    """A project whose function has changed since an earlier run wrote tests for its module. Read only."""
    files = {"till/__init__.py": "", "till/money.py": MONEY.format(rate=10), "pytest.ini": "[pytest]\npythonpath = .\n"}
    root = make_project(tmp_path_factory.mktemp("changed") / "p", files)
    ran = run("unit tests for till/money.py", cwd=root)
    assert ran.code == 0, ran.out + ran.err
    assert "tests of this run. Other tests were not run." in " ".join(ran.out.split())
    (root / "till/money.py").write_text(MONEY.format(rate=100) + NEW)
    return root


@pytest.fixture
def outdated(changed, tmp_path) -> Path:
    """A copy of that project."""
    return shutil.copytree(changed, tmp_path / "p")


def test_tests_of_an_earlier_run_that_a_fix_breaks_are_named_with_what_writes_them_anew(outdated, run):
    ran = run("till.money:francs", cwd=outdated)
    assert ran.code == 0, ran.out + ran.err
    said = " ".join(ran.out.split())
    broken = [line.split()[1] for line in bare_pytest(outdated).stdout.splitlines() if line.startswith("FAILED ")]
    assert broken
    assert "fail now: " in said or "fails now: " in said
    assert all(name.partition("[")[0] in said for name in broken[:5])
    assert "only those that earlier runs wrote for the same code were run" in said
    assert "`testwright run 'unit tests for till/money.py'`" in said
    reports = [json.loads(path.read_text()) for path in outdated.glob(".testwright/runs/*/report.json")]
    assert any("now: tests/generated/till/test_till_money.py::" in line for row in reports for line in row["advice"])
    again = run("unit tests for till/money.py", cwd=outdated)
    assert again.code == 0, again.out + again.err
    assert not (outdated / "tests/generated/till/test_till_money__francs.py").exists()
    assert bare_pytest(outdated).returncode == 0


def test_a_dry_run_names_them_too_and_speaks_of_no_added_tests(outdated, run):
    ran = run("till.money:francs", "--dry-run", cwd=outdated)
    said = " ".join(ran.out.split())
    assert "collects and passes the" in said
    assert "of this run" in said
    assert "added test" not in said
    assert "tests/generated/till/test_till_money.py::" in said
