"""Tests that a suspected defect fails become a patch beside the report, and no test of the run."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from testwright.app.defect_patch import defect_patch
from testwright.tests.support.mcp.tool_session import expectation, unit_case, unit_spec

pytestmark = pytest.mark.feature("B-02")


def result(framework: str = "pytest", *, origin: str = "documented") -> dict[str, Any]:
    """Of a generate step with a case that failed and one that was kept."""
    failing = unit_case(id="tc_half_of_three", act={"expression": "half(3)"}, expect=[expectation(origin=origin)])
    return {
        "spec_json": unit_spec(cases=[failing, unit_case()]),
        "framework": framework,
        "test_path": "tests/generated/shop/test_cart.py",
        "dropped": [{"case_id": "tc_half_of_three"}],
        "suspected_defects": [{"id": "sd_half_of_three"}, {"id": "sd_half_of_four"}],
    }


@pytest.mark.parametrize(
    ("framework", "mark"),
    [
        ("pytest", '@pytest.mark.xfail(strict=True, reason="suspected defect")'),
        ("unittest", "@unittest.expectedFailure"),
    ],
)
def test_the_patch_adds_the_failing_tests_and_marks_them_when_asked(tmp_path: Path, framework: str, mark: str) -> None:
    plain, _ = defect_patch([result(framework)])
    assert mark not in plain
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    patch, _ = defect_patch([result(framework)], xfail=True)
    subprocess.run(["git", "-C", tmp_path, "apply"], input=patch.encode(), check=True)
    text = (tmp_path / "tests/generated/shop/test_cart_defects.py").read_text()
    compile(text, "test_cart_defects.py", "exec")
    assert mark in text
    assert "half(3)" in text
    assert "half(4)" not in text


def test_without_a_failing_promise_there_is_no_patch() -> None:
    assert defect_patch([result(origin="inferred"), {}]) == ("", [])


def test_a_line_separator_in_a_text_ends_no_line_of_the_patch() -> None:
    given = result()
    given["spec_json"]["cases"][0]["act"] = {"expression": "half('a\u2028b')"}
    assert all(line.startswith(("+", "-", "@")) for line in defect_patch([given])[0].removesuffix("\n").split("\n"))


def test_a_test_that_cannot_be_written_is_told_and_costs_the_others_nothing() -> None:
    given = result()
    broken = unit_case(id="tc_broken", act={"expression": "half("}, expect=[expectation(origin="documented")])
    given["spec_json"]["cases"].append(broken)
    given["dropped"].append({"case_id": "tc_broken"})
    given["suspected_defects"].append({"id": "sd_broken"})
    patch, notes = defect_patch([given])
    assert "half(3)" in patch
    assert len(notes) == 1
    assert "the test that shows tc_broken is not in suspected_defects.patch: " in notes[0]
    given["dropped"] = [{"case_id": "tc_broken"}]
    assert defect_patch([given]) == ("", notes)
