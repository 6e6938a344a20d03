"""A number that made no difference yet is tried with others, so that a test can show what it is for (B-16)."""

from __future__ import annotations

import pytest

from testwright.engine.python.search.influence_trials import Distinction, influence_trials
from testwright.engine.python.selection.select_trials import select_trials
from testwright.tests.unit.engine.python.test_select_trials import FACTS, record, returned

pytestmark = pytest.mark.feature("B-16")


def test_an_argument_whose_value_changed_nothing_is_tried_with_counts_percentages_and_shares() -> None:
    tried = influence_trials(
        [record(0, "first([1, 2], 6)", returned("3")), record(1, "first([1, 2], 4)", returned("3"))]
    )
    acts = {trial.act for _, place, trials in tried for trial in trials if place == "1"}
    assert {"first([1, 2], 50)", "first([1, 2], 1000)"} <= acts
    shares = influence_trials([record(0, "first([1, 2], 0.1)", returned("3"))])
    assert "first([1, 2], 0.5)" in {trial.act for _, _, trials in shares for trial in trials}


def test_a_number_that_decided_about_a_result_is_not_tried_again() -> None:
    rows = [record(0, "first([1, 2], 6)", returned("3")), record(1, "first([1, 2], 4)", returned("2"))]
    assert influence_trials(rows) == []


def test_two_calls_that_differ_in_more_than_the_number_say_nothing_about_it() -> None:
    rows = [record(0, "first([1, 2], 6)", returned("3")), record(1, "first([1], 4)", returned("2"))]
    assert {place for _, place, _ in influence_trials(rows)} == {"1"}


@pytest.mark.parametrize("tells", [False, True])
def test_a_call_that_shows_what_a_number_is_for_becomes_a_test(tells: bool) -> None:
    rows = [
        record(0, "first([1, 2, 3], 6)", returned("2"), (1, 2), source="domain"),
        record(1, "first([4, 7, 5], 6)", returned("5.5"), (1, 2), source="domain"),
        record(2, "first([1, 2, 3], 50)", returned("3.5"), (1, 2), source="domain"),
    ]
    if tells:
        rows[2].notes[Distinction] = "1"
    kills = {0: frozenset({1}), 1: frozenset({2}), 2: frozenset({1, 2})}

    assert (2 in {one.number for one in select_trials(rows, FACTS, frozenset(), kills)}) is tells
