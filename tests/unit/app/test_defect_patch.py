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
    plain, _ = defect_patch([result(framework)], tmp_path)
    assert mark not in plain
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    patch, _ = defect_patch([result(framework)], tmp_path, xfail=True)
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


def write_cart(root: Path, half: str = "return number") -> None:
    """The target of the defects."""
    path = Path(root, unit_spec()["target"]["path"])
    path.parent.mkdir(parents=True)
    path.write_text(f"import json\n\n\nclass HalfError(Exception):\n    pass\n\n\ndef half(number):\n    {half}\n")


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
        ("raises HalfError", "returns 1", "with pytest.raises(HalfError):"),
        ("raises json.JSONDecodeError", "returns 1", "with pytest.raises(json.JSONDecodeError):"),
        ("raises urllib.error.HTTPError", "returns 1", "import urllib.error"),
        ("2", "raises ZeroDivisionError: division by zero", "assert half(3) == 2"),
        ("the annotation -> list[int]", "returns ()", "assert isinstance(half(3), list)"),
        ("no document announces NameError: a name is read before it has a value", "raises NameError", "    half(3)"),
    ],
)
def test_what_the_engine_saw_to_fail_is_a_test_of_what_is_documented(
    tmp_path: Path, documented: str, observed: str, check: str
) -> None:
    write_cart(tmp_path, "print(number)" if observed.startswith("prints") else "return number")
    given = {**result(), "dropped": [], "suspected_defects": [defect(documented, observed)]}
    patch, notes = defect_patch([given], tmp_path)
    added = [line[1:] for line in patch.splitlines() if line.startswith("+")]
    assert notes == []
    assert check in [line if line.startswith("    half") else line.strip() for line in added]
    assert any(line.startswith("def test_half_as_documented(") for line in added)


def test_defects_of_one_function_have_tests_of_their_own_names(tmp_path: Path) -> None:
    arranged = "from shop.cart import half\nvalue = 4\nhalf(value)"
    defects = [defect("1", "returns 2"), defect("22", "returns 3", arranged)]
    patch, _ = defect_patch([{**result(), "dropped": [], "suspected_defects": defects}], tmp_path)
    assert "+def test_half_as_documented():" in patch
    assert "+def test_half_as_documented_2():" in patch
    assert "+    value = 4" in patch


@pytest.mark.parametrize(
    ("documented", "reproduce"),
    [("[1, ..., 9]!", "half(3)"), ("2", "with half(3) as result: pass"), ("2", "curl -s http://127.0.0.1/")],
    ids=["cut short", "no expression", "no Python"],
)
def test_what_no_assertion_can_say_is_not_in_the_patch(tmp_path: Path, documented: str, reproduce: str) -> None:
    given = {**result(), "dropped": [], "suspected_defects": [defect(documented, "returns 1", reproduce)]}
    assert defect_patch([given], tmp_path) == ("", [])


@pytest.mark.parametrize(
    ("documented", "observed"),
    [
        ("raises JSONDecodeError", "returns 1"),
        ("raises payments.Refused", "returns 1"),
        ("raises xml.missing.Refused", "returns 1"),
        ("raises this.Refused", "returns 1"),
        ("total: ...", "prints 'sum'"),
        ("a\n<BLANKLINE>\nb", "prints 'a'"),
        ("'a...b'", "returns 'c'"),
        ("[1, ..., 9]", "returns [1]"),
        ("total: 5", "raises KeyError: 'x'"),
        ("hi\n4", "prints 'hi' and returns 5"),
        ("hi\n4", "prints 'hi'"),
        ("Half(\n 3)", "returns Half(2)"),
        ("3", "returns '4'"),
        ("x" * 599 + "…", "returns Half(2)"),
    ],
)
def test_what_mended_code_may_fail_or_cannot_be_imported_is_not_in_the_patch(
    tmp_path: Path, documented: str, observed: str
) -> None:
    write_cart(tmp_path, "print(number)")
    given = {**result(), "dropped": [], "suspected_defects": [defect(documented, observed)]}
    assert defect_patch([given], tmp_path) == ("", [])


@pytest.mark.parametrize(
    ("half", "documented", "observed"),
    [
        ("print(number)", "5", "raises KeyError: 'x'"),
        ("return number", "5", "prints '4'"),
    ],
    ids=["of a function that returns nothing", "of one that returns values"],
)
def test_what_may_be_output_as_well_as_a_result_is_not_in_the_patch(
    tmp_path: Path, half: str, documented: str, observed: str
) -> None:
    write_cart(tmp_path, half)
    given = {**result(), "dropped": [], "suspected_defects": [defect(documented, observed)]}
    assert defect_patch([given], tmp_path) == ("", [])


def test_without_a_failing_promise_there_is_no_patch(tmp_path: Path) -> None:
    assert defect_patch([result(origin="inferred"), {}], tmp_path) == ("", [])


def test_a_line_separator_in_a_text_ends_no_line_of_the_patch(tmp_path: Path) -> None:
    given = result()
    given["spec_json"]["cases"][0]["act"] = {"expression": "half('a\u2028b')"}
    assert all(
        line.startswith(("+", "-", "@")) for line in defect_patch([given], tmp_path)[0].removesuffix("\n").split("\n")
    )


def test_a_test_that_cannot_be_written_is_told_and_costs_the_others_nothing(tmp_path: Path) -> None:
    given = result()
    broken = unit_case(id="tc_broken", act={"expression": "half("}, expect=[expectation(origin="documented")])
    given["spec_json"]["cases"].append(broken)
    given["dropped"].append({"case_id": "tc_broken"})
    given["suspected_defects"].append({"id": "sd_broken"})
    patch, notes = defect_patch([given], tmp_path)
    assert "half(3)" in patch
    assert len(notes) == 1
    assert "the test that shows tc_broken is not in suspected_defects.patch: " in notes[0]
    given["dropped"] = [{"case_id": "tc_broken"}]
    assert defect_patch([given], tmp_path) == ("", notes)
