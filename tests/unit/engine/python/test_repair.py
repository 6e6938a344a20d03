"""Specs are mended and cases left out by what a validation says, and never weakened."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from testwright.engine.python.write.compose import compose_spec
from testwright.engine.python.write.render import render
from testwright.engine.python.write.repair import (
    case_ranges,
    offending_cases,
    repair_spec,
    unrenderable_cases,
    without_cases,
)
from testwright.mcp.tools.validate_spec import check_spec
from testwright.tests.support.engine.shop_findings import exploration, shop_findings


def made() -> dict[str, Any]:
    """A valid spec about the cart."""
    return compose_spec(exploration(*shop_findings()), framework="pytest")


def ids(spec: dict[str, Any]) -> list[str]:
    """The ids of a spec's cases."""
    return [case["id"] for case in spec["cases"]]


def spoil(spec: dict[str, Any], what: str) -> None:
    """Break a valid spec in one way."""
    case = spec["cases"][0]
    if what == "act":
        case["act"]["expression"] = "Cart("
    elif what == "unbound":
        case["act"]["expression"] = "Basket('Ann')"
    elif what == "kind":
        case["expect"][0]["kind"] = "looks_like"
    elif what == "id":
        case["id"] = spec["cases"][1]["id"]
    elif what == "title":
        case["title"] = "long " * 100
    elif what == "extra":
        case["mood"] = "good"
    elif what == "lines":
        case["expect"][0]["evidence"]["lines"] = [9, 3]
    elif what == "evidence":
        del case["expect"][0]["evidence"]
    elif what == "import":
        spec["imports"].append("impotr os")
    elif what == "version":
        spec["schema_version"] = "9"
    elif what == "target":
        spec["imports"] = ["import os"]


@pytest.mark.feature("T-06")
@pytest.mark.parametrize("what", ["id", "title", "extra", "lines", "evidence", "import", "version"])
def test_what_can_be_mended_is_mended_and_no_case_is_lost(what: str) -> None:
    spec = made()
    expected = [case["expect"] for case in spec["cases"]] if what not in ("lines", "evidence") else None
    spoil(spec, what)

    repair = repair_spec(spec, check_spec(spec, "unit")["errors"])

    assert check_spec(repair.spec, "unit")["errors"] == []
    assert repair.dropped == {}
    assert len(repair.spec["cases"]) == len(spec["cases"])
    assert expected is None or [case["expect"] for case in repair.spec["cases"]] == expected


@pytest.mark.feature("T-06", "B-03")
@pytest.mark.parametrize("what", ["act", "unbound", "kind"])
def test_a_case_that_cannot_be_mended_is_left_out_whole(what: str) -> None:
    spec = made()
    spoil(spec, what)

    repair = repair_spec(spec, check_spec(spec, "unit")["errors"])

    assert check_spec(repair.spec, "unit")["errors"] == []
    assert list(repair.dropped) == [spec["cases"][0]["id"]]
    assert repair.spec["cases"] == spec["cases"][1:]


@pytest.mark.feature("T-06")
def test_a_missing_import_of_the_target_is_added() -> None:
    spec = made()
    spec["imports"] = ["import os"]
    errors = [error for error in check_spec(spec, "unit")["errors"] if error["rule"] == "target_not_imported"]

    assert repair_spec(spec, errors).spec["imports"] == ["import os", "import shop.cart"]


def test_repairing_changes_nothing_of_what_it_was_given() -> None:
    spec = made()
    spoil(spec, "act")
    before = copy.deepcopy(spec)

    repair_spec(spec, check_spec(spec, "unit")["errors"])

    assert spec == before


def test_warnings_change_nothing() -> None:
    spec = made()
    warning = {"path": "$.cases[0]", "message": "not nice", "severity": "warning"}

    assert repair_spec(spec, [warning]).spec == spec


def test_every_case_is_found_in_a_rendered_file() -> None:
    spec = made()

    known = set(ids(spec))

    for framework in ("pytest", "unittest"):
        ranges = case_ranges(render(spec, framework), known)
        assert {name for range_ in ranges for name in range_.case_ids} == known


@pytest.mark.feature("T-07")
def test_an_error_in_a_row_is_about_its_case_and_one_in_the_body_about_all_rows() -> None:
    spec = made()
    rendered, known = render(spec, "pytest"), set(ids(spec))
    lines = rendered.splitlines()
    row = next(
        at
        for at, line in enumerate(lines, 1)
        if "group_thousands" not in line and 'id="zero"' in line and '"0"' in line
    )
    body = next(at for at, line in enumerate(lines, 1) if "assert group_thousands(value)" in line)

    assert offending_cases(rendered, [{"line": row, "message": "odd"}], known) == {"tc_group_thousands_zero": "odd"}
    assert len(offending_cases(rendered, [{"line": body, "message": "odd"}], known)) == 3
    assert offending_cases(rendered, [{"line": 1, "message": "odd"}], known) == {}
    assert offending_cases("def test_(:", [{"line": 1, "message": "odd"}]) == {}


def test_cases_that_do_not_render_are_told_apart() -> None:
    spec = made()
    spoil(spec, "act")
    del spec["cases"][1]["act"]

    broken = unrenderable_cases(spec, "pytest")

    assert list(broken) == [spec["cases"][1]["id"], spec["cases"][0]["id"]]
    assert unrenderable_cases(without_cases(spec, broken), "pytest") == {}
