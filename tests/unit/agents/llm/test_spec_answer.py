"""Ids of a model's cases agree with the tests that they become: class, test and row name the case (B-14)."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.agents.llm.specs.spec_answer import case_of, expanded
from testwright.engine.python.write.render import render

pytestmark = pytest.mark.feature("B-14")

NEITHER = {"exception": None, "match": None}
CASE: dict[str, Any] = {
    "id": "tc_isoformat",
    "title": "isoformat pads the week",
    "subject": "Week.isoformat",
    "priority": "medium",
    "fixtures": [],
    "statements": ["week = Week(2011, 8)"],
    "expression": "week.isoformat()",
    "mode": "call",
    "expected": "the ISO form",
    "expect": [
        {"kind": "equals", "actual": "result", "value": "'2011W08'", "origin": "inferred", "lines": None, **NEITHER}
    ],
}
PROPERTY: dict[str, Any] = {
    **{key: value for key, value in CASE.items() if key != "statements"},
    "id": "tc_week_counts_from_monday",
    "names": ["number", "expected"],
    "rows": [["0", "16"], ["6", "22"]],
    "statements": [],
    "expression": "Week(2011, 20).day(number).day",
    "expect": [
        {"kind": "equals", "actual": "result", "value": "expected", "origin": "inferred", "lines": None, **NEITHER}
    ],
}


def ids(answer: dict[str, Any]) -> list[str]:
    return [str(one["id"]) for one in expanded(answer)]


def test_the_class_that_a_test_stands_in_is_part_of_the_cases_id() -> None:
    assert ids({"cases": [CASE, {**CASE, "id": "tc_week_isoformat_again"}, {**CASE, "subject": "parsed"}]}) == [
        "tc_week_isoformat",
        "tc_week_isoformat_again",
        "tc_parsed_isoformat",
    ]


@pytest.mark.parametrize(
    ("given", "subject", "expected"),
    [
        ("tc_middle", "postage", "tc_postage_middle"),
        ("tc_postage_abroad", "postage", "tc_postage_abroad"),
        ("tc_discount_from_100_on", "discounted", "tc_discount_from_100_on"),
        ("tc_label", "Parcel", "tc_parcel_label"),
    ],
)
def test_a_case_whose_id_does_not_say_what_it_tests_gets_the_functions_name_before_it(
    given: str, subject: str, expected: str
) -> None:
    assert ids({"cases": [{**CASE, "id": given, "subject": subject}]}) == [expected]


def test_an_id_that_another_case_of_the_answer_has_is_not_given_again() -> None:
    cases = [{**CASE, "id": one, "subject": "postage"} for one in ("tc_middle", "tc_postage_middle")]
    assert ids({"cases": cases}) == ["tc_middle", "tc_postage_middle"]


def test_rows_of_a_property_are_named_by_their_values_and_by_numbers_where_these_are_no_code() -> None:
    assert ids({"cases": [], "properties": [PROPERTY]}) == [
        "tc_week_counts_from_monday_zero",
        "tc_week_counts_from_monday_6",
    ]
    broken = {**PROPERTY, "rows": [["first(", "1"], ["2", "2"]]}
    assert ids({"cases": [], "properties": [broken]}) == [
        "tc_week_counts_from_monday_1",
        "tc_week_counts_from_monday_2",
    ]


def test_a_models_property_reads_as_a_table_whose_columns_are_its_names() -> None:
    cases = [case_of(one, "isoweek.py") for one in expanded({"cases": [CASE], "properties": [PROPERTY]})]
    target = {"path": "isoweek.py", "module": "isoweek"}
    text = render({"cases": cases, "imports": ["from isoweek import Week"], "target": target}, "pytest")

    assert "Case tc_" not in text
    assert "tc_" not in text
    assert '("number", "expected")' in text
    assert 'pytest.param(0, 16, id="zero")' in text
    assert "def test_counts_from_monday(self, number, expected):" in text
