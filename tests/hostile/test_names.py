"""Names of modules that no id, file name or schema has room for: each module gets its tests, or says why not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from testwright.core.errors import ExitCode
from testwright.tests.support.hostile.projects import hostile_project, run_on

pytestmark = pytest.mark.feature("B-05")

BODY = 'def double(n: int) -> int:\n    """Twice.\n\n    >>> double(2)\n    4\n    """\n    return n * 2\n'
NAMES = ("ünï", "é", "_a", "a", "n" * 240, "m" * 252, "deep/" * 20 + "x")
DEEPER = "deep/" * 100 + "y"


def test_modules_whose_names_look_alike_or_are_endless_get_their_tests(tmp_path: Path) -> None:
    root = hostile_project(tmp_path / "project", {f"{name}.py": BODY for name in (*NAMES, DEEPER)})
    outcome = run_on(root, environment={"TESTWRIGHT_TRIALS": "20", "TESTWRIGHT_MUTANTS": "0"})
    assert outcome.code == ExitCode.OK, outcome
    (report,) = root.glob(".testwright/runs/*/report.json")
    targets = {target["path"]: target["status"] for target in json.loads(report.read_text())["targets"]}
    assert targets == dict.fromkeys([*(f"{name}.py" for name in NAMES), "src/pk/good.py"], "completed")
    assert "its path is longer than 480 bytes" in report.read_text()
    specs = [path.name for path in report.parent.glob("specs/*.json")]
    assert len(specs) == len(set(specs)) == len(targets)
