"""Runs whose tests are chosen and measured by mutants: the same twice, and the same after a kill in mid-gate (B-08)."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from testwright.tests.support.projects.files import OWN_PYTEST, make_project, run_command, tree
from testwright.tests.support.runs.command_line import invoke_command
from testwright.tests.support.runs.comparison import report_of, run_folder, work_of
from testwright.tests.support.runs.interrupted import await_nobody, events_of, kill_when, repeated_work, started_command

pytestmark = [pytest.mark.feature("B-08", "B-11"), pytest.mark.timeout(900)]

ASKED = ("run", "unit tests for small.steps", "--trials", "80", "--mutants", "30", "--run-id", "r", "--root")
PROJECT = {
    **OWN_PYTEST,
    "src/small/__init__.py": "",
    "src/small/steps.py": '''"""Steps."""

import re

UNIT = 3
WORD = "[a-z]+"


def steps(height: int) -> int:
    """How many steps lead up.

    >>> steps(7)
    3
    """
    if height < 0:
        raise ValueError("height is below zero")
    count = 0
    while height > 0:
        height -= UNIT
        count += 1
    return count


def words(text: str) -> list[str]:
    """The words in small letters.

    >>> words("one, Two")
    ['one', 'wo']
    """
    return re.findall(WORD, text)
''',
}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """A run that nobody disturbs. Read only."""
    root = make_project(tmp_path_factory.mktemp("undisturbed") / "project", PROJECT)
    outcome = invoke_command(*ASKED, str(root), cwd=root)
    assert outcome.code == 0, outcome.err
    return SimpleNamespace(root=root, folder=run_folder(root, "r"))


def _evidence(folder: Path) -> dict[str, Any]:
    """What the report says of the mutants of the module, and how many each test noticed."""
    (target,) = json.loads((folder / "report.json").read_bytes())["targets"]
    return target["mutation"]


def _same_as(undisturbed: SimpleNamespace, root: Path) -> bool:
    folder = run_folder(root, "r")
    assert tree(root) == tree(undisturbed.root)
    assert work_of(folder) == work_of(undisturbed.folder)
    assert report_of(folder) == report_of(undisturbed.folder)
    return True


def _tries_mutants(root: Path) -> bool:
    """Whether the gate's worker has run the tests without a mutant, and goes on to those with one."""
    for facts in (root / ".testwright" / "sandbox").glob("*/w*/scratch/gate-*/results.jsonl"):
        try:
            if '"kind": "control"' in facts.read_text("utf-8"):
                return True
        except OSError:  # its workspace is gone already
            continue
    return False


def test_two_runs_come_to_the_same_tests_specs_and_evidence_of_kills(
    undisturbed: SimpleNamespace, tmp_path: Path
) -> None:
    root = make_project(tmp_path / "project", PROJECT)
    outcome = run_command(*ASKED, str(root), cwd=tmp_path)
    assert outcome.code == 0, outcome.err
    assert _same_as(undisturbed, root)
    measured = _evidence(undisturbed.folder)
    assert measured["untried"] == 0
    assert measured["killed"] > 8


def test_a_run_killed_while_mutants_are_tried_comes_to_the_same(undisturbed: SimpleNamespace, tmp_path: Path) -> None:
    root = make_project(tmp_path / "project", PROJECT)
    folder = run_folder(root, "r")
    with started_command(*ASKED, str(root), cwd=tmp_path) as process:
        kill_when(process, lambda: _tries_mutants(root))
    assert await_nobody(root), "the sandbox outlives the run"

    outcome = invoke_command("resume", "r", "--root", str(root), cwd=tmp_path)
    assert outcome.code == 0, outcome.err
    assert _same_as(undisturbed, root)
    assert repeated_work(folder) == []
    assert [event["type"] for event in events_of(folder)].count("tests_run") == 1
