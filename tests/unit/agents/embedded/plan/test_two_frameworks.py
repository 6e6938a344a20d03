"""Tests of one module for pytest and for unittest stand beside each other: neither run takes the other's away."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from testwright.agents.embedded.plan.planner_agent import EmbeddedPlannerAgent
from testwright.store.files.run_folder import RunFolder
from testwright.store.files.staging import Staging
from testwright.tests.support.mcp.tool_session import write_files
from testwright.utils.generated_header import with_header

PLAIN = "tests/generated/shop/test_shop_tax.py"
BESIDE = "tests/generated/shop/test_shop_tax_unittest.py"
SOURCE = "src/shop/tax.py"
CODE = "def add(amount: int) -> int:\n    return amount + 1\n"
FOR_PYTEST = with_header("def test_add():\n    assert add(1) == 2\n", target=SOURCE)
FOR_UNITTEST = with_header(
    "import unittest\n\n\nclass TestAdd(unittest.TestCase):\n"
    "    def test_1(self):\n        self.assertEqual(add(1), 2)\n",
    target=SOURCE,
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_files(tmp_path / "project", {"src/shop/__init__.py": "", SOURCE: CODE, PLAIN: FOR_PYTEST})


def planned(request: str, project: Path) -> tuple[list[str], list[str]]:
    """Test files of the plan, and what is said to be left out."""
    inputs: dict[str, Any] = {"user_request": request, "root": str(project)}
    plan = EmbeddedPlannerAgent().plan(inputs)
    paths = [str(step["params"]["test_path"]) for step in plan["steps"] if "test_path" in step["params"]]
    return paths, [f"{row['target']}: {row['reason']}" for row in plan["skipped"]]


@pytest.mark.feature("B-09")
def test_tests_for_unittest_get_a_file_of_their_own_beside_those_for_pytest_and_the_plan_says_so(project):
    paths, said = planned("unit tests for shop.tax with unittest", project)
    assert paths == [BESIDE]
    assert said == [
        f"{PLAIN}: its tests for pytest stay beside those for unittest in {BESIDE}; "
        "delete the file that you do not want"
    ]
    assert planned("unit tests for shop.tax", project) == ([PLAIN], [])


def test_the_file_beside_it_is_written_anew_by_the_next_run_for_unittest(project):
    write_files(project, {BESIDE: FOR_UNITTEST})
    assert planned("unit tests for shop.tax with unittest", project)[0] == [BESIDE]
    (project / PLAIN).unlink()
    assert planned("unit tests for shop.tax with unittest", project) == ([BESIDE], [])


def test_one_function_gets_tests_for_unittest_though_its_module_has_some_for_pytest(project):
    assert planned("unit tests for `add` in shop.tax with unittest", project)[0] == [
        "tests/generated/shop/test_shop_tax__add.py"
    ]


@pytest.mark.feature("B-09")
def test_apply_leaves_tests_for_another_framework_alone_and_says_why(project, tmp_path):
    staging = Staging(RunFolder(tmp_path / "state", "run"), project)
    staging.stage(PLAIN, FOR_UNITTEST)
    assert [(one.outcome, one.reason) for one in staging.accept()] == [("conflict", "it has the tests for pytest")]
    assert (project / PLAIN).read_text() == FOR_PYTEST


def test_the_file_of_a_whole_module_replaces_no_file_of_parts_for_another_framework(project, tmp_path):
    part = "tests/generated/shop/test_shop_tax__add.py"
    write_files(project, {part: FOR_UNITTEST})
    folder = RunFolder(tmp_path / "state", "run")
    staging = Staging(folder, project)
    staging.stage(PLAIN, with_header("def test_add():\n    assert add(2) == 3\n", target=SOURCE))
    params = {"target": {"path": SOURCE}, "test_path": PLAIN, "framework": "pytest"}
    folder.plan_json.write_text(json.dumps({"steps": [{"type": "generate_unit_tests", "params": params}]}))
    assert [(one.path, one.outcome) for one in staging.accept()] == [(PLAIN, "updated")]
    assert (project / part).is_file()
