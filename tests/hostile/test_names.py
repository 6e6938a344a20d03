"""Names of modules that no id, file name or schema has room for: each module gets its tests, or says why not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from testwright.core.exit_code import ExitCode
from testwright.tests.support.hostile.projects import hostile_project, run_on

pytestmark = pytest.mark.feature("B-05")

BODY = 'def answer() -> int:\n    """The answer."""\n    return 42\n'
FOLDER = "d" * 122 + "/"
# Few folders with long names: Python's import of a package without __init__ doubles its time with each level.
NAMES = ("ünï", "é", "_a", "a", "n" * 240, "m" * 252, FOLDER * 2 + "x")
DEEPER = FOLDER * 4 + "y"


def test_modules_whose_names_look_alike_or_are_endless_get_their_tests(tmp_path: Path) -> None:
    modules = {f"{name}.py": BODY for name in (*NAMES, DEEPER)}
    root = hostile_project(tmp_path / "project", {**modules, "pytest.ini": "[pytest]\npythonpath = src .\n"})
    (root / "src/pk/good.py").unlink()  # only names are the subject
    outcome = run_on(root)
    assert outcome.code == ExitCode.OK, outcome
    (report,) = root.glob(".testwright/runs/*/report.json")
    targets = {target["path"]: target["status"] for target in json.loads(report.read_text())["targets"]}
    assert targets == dict.fromkeys((f"{name}.py" for name in NAMES), "completed")
    assert "its path is longer than 480 bytes" in report.read_text()
    specs = [path.name for path in report.parent.glob("specs/*.json")]
    assert len(specs) == len(set(specs)) == len(targets)
