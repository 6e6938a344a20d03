"""How much of an API the kept tests show, in the report and in its words."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.reports.build import build_report
from testwright.reports.markdown_form import markdown_form
from testwright.reports.operations import missing_statuses, operations_of, operations_shown
from testwright.tests.support.runs.report_data import executed, facts, generate_step, outcomes

pytestmark = pytest.mark.feature("T-20")


def a_case(name: str, method: str, path: str, status: int) -> dict[str, Any]:
    return {
        "id": name,
        "title": f"{method} {path} answers {status}",
        "operation": {"method": method, "path": path},
        "expect": [{"kind": "status", "statuses": [status], "origin": "documented"}],
    }


def a_spec() -> dict[str, Any]:
    return {
        "test_type": "api",
        "operations": [
            {"method": "GET", "path": "/notes", "statuses": ["200", "4XX"]},
            {"method": "POST", "path": "/notes", "statuses": ["201", "409", "default"]},
            {"method": "DELETE", "path": "/notes"},
        ],
        "cases": [
            a_case("tc_list", "GET", "/notes", 200),
            a_case("tc_odd", "GET", "/notes", 422),
            a_case("tc_make", "POST", "/notes", 201),
            a_case("tc_lost", "POST", "/notes", 409),
            a_case("tc_method", "PATCH", "/notes", 405),
        ],
    }


def test_only_kept_cases_show_an_operation_and_a_range_is_shown_by_any_of_its_statuses() -> None:
    found = operations_of(a_spec(), ["tc_list", "tc_odd", "tc_make", "tc_method"])
    assert found is not None
    assert operations_shown(found) == "2 of 3 operations succeed, 3 of 5 documented statuses"
    by_name = {row.operation: row for row in found.rows}
    assert missing_statuses(by_name["GET /notes"]) == ()
    assert missing_statuses(by_name["POST /notes"]) == ("409", "default")
    assert by_name["DELETE /notes"].shown == ()


def test_an_operation_that_tests_only_see_refuse_does_not_count_as_one_that_succeeds() -> None:
    found = operations_of(a_spec(), ["tc_odd", "tc_lost"])
    assert found is not None
    assert (found.covered, found.rows[0].shown) == (0, (422,))


def test_a_status_that_is_not_named_shows_the_default() -> None:
    spec = a_spec()
    spec["cases"].append(a_case("tc_other", "POST", "/notes", 415))
    found = operations_of(spec, ["tc_other"])
    assert found is not None
    post = next(row for row in found.rows if row.operation == "POST /notes")
    assert missing_statuses(post) == ("201", "409")


def test_a_spec_of_another_type_has_no_operations() -> None:
    assert operations_of({**a_spec(), "test_type": "unit"}, ["tc_list"]) is None
    assert operations_shown(None) == ""


def test_the_report_names_what_is_shown_and_what_is_not() -> None:
    result = executed(["tc_list", "tc_make"], spec_json=a_spec())
    report = build_report(facts(), outcomes(generate_step(**result)))
    text = markdown_form(report)
    assert report.totals.operations is not None
    assert "| API | 2 of 3 operations succeed, 2 of 5 documented statuses |" in text
    assert "| `POST /notes` | 201 | 409, default |" in text
    assert "| `DELETE /notes` | no test |" in text
    assert report.targets[0].evidence[0].statuses == (200,)
