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


def defect(documented: str, observed: str, reproduce: str = "from shop.cart import half\nhalf(3)") -> dict[str, Any]:
    """A defect as the engine reports it."""
    evidence = {"path": "src/shop/cart.py", "lines": [4, 9]}
    fields = {"documented": documented, "observed": observed, "reproduce": reproduce, "evidence": evidence}
    return {"id": f"sd_{len(documented)}_{observed.split()[0]}", "title": "half", "subject": "half", **fields}


@pytest.mark.parametrize(
    ("documented", "observed", "check"),
    [
        ("['a']", "returns ['b']", 'assert half(3) == ["a"]'),
        ("1.5", "returns 1.4", "assert half(3) == pytest.approx(1.5)"),
        ("True", "returns False", "assert half(3) is True"),
        ("Half(3)", "returns Half(2)", 'assert repr(half(3)) == "Half(3)"'),
        ("Ada", "returns 'Bob'", 'assert str(result) == "Ada"'),
        ("a\nb", "prints 'a'", 'assert capsys.readouterr().out == "a\\nb\\n"'),
        ("raises ValueError: no", "returns 1", "with pytest.raises(ValueError):"),
        ("raises shop.cart.HalfError", "returns 1", "from shop.cart import HalfError, half"),
        ("the annotation -> list[int]", "returns ()", "assert isinstance(half(3), list)"),
        ("no document announces NameError: a name is read before it has a value", "raises NameError", "    half(3)"),
    ],
)
def test_what_the_engine_saw_to_fail_is_a_test_of_what_is_documented(
    documented: str, observed: str, check: str
) -> None:
    given = {**result(), "dropped": [], "suspected_defects": [defect(documented, observed)]}
    patch, notes = defect_patch([given])
    added = [line[1:] for line in patch.splitlines() if line.startswith("+")]
    assert notes == []
    assert check in [line if line.startswith("    half") else line.strip() for line in added]
    assert any(line.startswith("def test_half_as_documented(") for line in added)


def test_defects_of_one_function_have_tests_of_their_own_names() -> None:
    arranged = "from shop.cart import half\nvalue = 4\nhalf(value)"
    defects = [defect("1", "returns 2"), defect("22", "returns 3", arranged)]
    patch, _ = defect_patch([{**result(), "dropped": [], "suspected_defects": defects}])
    assert "+def test_half_as_documented():" in patch
    assert "+def test_half_as_documented_2():" in patch
    assert "+    value = 4" in patch


@pytest.mark.parametrize(
    ("documented", "reproduce"),
    [("[1, ..., 9]!", "half(3)"), ("2", "with half(3) as result: pass"), ("2", "curl -s http://127.0.0.1/")],
    ids=["cut short", "no expression", "no Python"],
)
def test_what_no_assertion_can_say_is_not_in_the_patch(documented: str, reproduce: str) -> None:
    given = {**result(), "dropped": [], "suspected_defects": [defect(documented, "returns 1", reproduce)]}
    assert defect_patch([given]) == ("", [])


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
