"""The names of a table and its rows tell the ids of the cases."""

from __future__ import annotations

import ast

import pytest

from testwright.engine.python.write.compose import compose_spec
from testwright.engine.python.write.render import render
from testwright.engine.python.write.search_words import search_words
from testwright.tests.support.engine.shop_findings import exploration, shop_findings
from testwright.utils.names.case_names import cases_of_test, owned_tests

pytestmark = pytest.mark.feature("B-04", "B-06")


def test_no_row_of_a_rendered_file_repeats_an_id():
    notices: dict[str, list[int]] = {}
    spec = compose_spec(exploration(*shop_findings()), framework="pytest", notices=notices)
    known = {one["id"] for one in spec["cases"]}

    text = render(spec, "pytest")

    assert "tc_" not in text
    assert {name for test, owner in owned_tests(ast.parse(text)) for name in cases_of_test(test, owner, known)} == known
    assert set(notices) <= known


def _nodes(*sources: str) -> list[ast.expr]:
    return [ast.parse(source, mode="eval").body for source in sources]


def test_rows_in_which_something_is_looked_for_say_where_it_stands_among_the_items():
    array = _nodes("[1, 10, 12]", "[5, 10, 12]", "[3]", "[2, 4, 6, 8, 10]", "[6, 8, 10]", "[1, 9]")

    assert search_words({"array": array, "search_key": _nodes("10", "55", "4", "7", "7", "1")}) == [
        "inner_item",
        "above_all_sorted",
        "above_all_single",
        "gap_longer",
        "gap_shorter",
        "first_item",
    ]
    assert search_words({"words": _nodes("['a', 'b']", "['a']"), "target": _nodes("'b'", "'c'")}) == [
        "last_item",
        "missing_item",
    ]


def test_how_far_a_list_is_turned_is_not_looked_for_in_it():
    assert search_words({"array": _nodes("[1, 2, 3]", "[1, 2]"), "k": _nodes("2", "5")}) == []
    assert search_words({"array": _nodes("[1, 2, 3]", "[1, 2]"), "key": _nodes("7", "8")}) == []
