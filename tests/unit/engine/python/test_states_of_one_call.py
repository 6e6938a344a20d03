"""One call on objects in several states is several tests only where each state shows something of its own (B-16)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.search.trial_search import TrialRecord
from testwright.engine.python.selection.select_trials import select_trials
from testwright.tests.unit.engine.python.test_select_trials import record, returned

pytestmark = pytest.mark.feature("B-16")

SOURCE = b"""
class Tally:
    def __init__(self):
        self.names = []
    def add(self, name):
        self.names.append(name)
    def drop(self, name):
        self.names.remove(name)
    def most(self):
        return sorted(self.names)
    def union(self, *others):
        return sorted(self.names + [name for other in others for name in other])
"""
FACTS = facts_from_source(SOURCE, ModulePlace("m.py", "m", "."))
LINE = {"wanted": "['a', 'b']\n", "wanted_line": 4, "source": "doctest"}


def most(number: int, answer: str, *steps: str, **more: object) -> TrialRecord:
    known = record(number, "tally.most()", returned(answer), (10, 10), arrange=("tally = Tally()", *steps), **more)
    return replace(known, trial=replace(known.trial, subject="Tally.most"))


def numbers(*records: TrialRecord, kills: Mapping[int, set[int]] | None = None) -> list[int]:
    noticed = {number: frozenset(mutants) for number, mutants in (kills or {}).items()}
    return [one.number for one in select_trials(records, FACTS, frozenset(), noticed)]


def test_of_a_documented_line_after_several_steps_the_plainest_that_answers_as_said_stays() -> None:
    whole = most(0, "['a', 'b']", "tally.add('a')", "tally.most()", "tally.add('b')", **LINE)
    plain = most(1, "['a', 'b']", "tally.add('a')", "tally.add('b')", **LINE)
    other = most(2, "['a']", "tally.add('a')", **LINE)

    assert numbers(whole, plain, other) == [1]
    assert numbers(whole, plain, other, kills={0: {7, 8}}) == [0]


@pytest.mark.parametrize(("arc", "stays"), [((10, 9), True), ((5, 6), False)])
def test_the_documents_own_form_stays_beside_the_plainest_where_it_runs_more_of_the_callable(arc, stays: bool) -> None:
    whole = most(0, "['a', 'b']", "tally.add('a')", "tally.most()", "tally.add('b')", **LINE)
    whole = replace(whole, arcs=whole.arcs | {arc}, covered=whole.covered | {arc})
    between = most(1, "['a', 'b']", "tally.add('a')", "tally.add('b')", "tally.most()", **LINE)
    between = replace(between, arcs=between.arcs | {(7, 8)}, covered=between.covered | {(7, 8)})
    plain = most(2, "['a', 'b']", "tally.add('a')", "tally.add('b')", **LINE)

    assert set(numbers(whole, between, plain)) == ({0, 2} if stays else {2})


def test_a_documented_line_that_the_code_contradicts_stays_whatever_fewer_steps_answer() -> None:
    written = most(0, "['b']", "tally.add('a')", "tally.add('b')", "tally.drop('a')", **LINE)
    shorter = most(1, "['a', 'b']", "tally.add('a')", "tally.add('b')", **LINE)

    assert 0 in numbers(written, shorter)


def test_the_same_answer_in_another_state_is_no_test_for_one_mutant() -> None:
    plain = most(0, "['a', 'b']", "tally.add('a')", "tally.add('b')", source="sequence")
    again = most(1, "['a', 'b']", "tally.add('b')", "tally.add('a')", "tally.drop('a')", source="sequence")

    assert numbers(plain, again, kills={0: {1}, 1: {2}}) == [0]
    assert numbers(plain, again, kills={0: {1}, 1: {2, 3}}) == [0, 1]


def test_a_member_that_takes_operands_gets_no_call_without_any() -> None:
    filled = ("tally = Tally()", "tally.add('a')", "tally.add('b')")
    alone, joined = (
        replace(one, trial=replace(one.trial, subject="Tally.union"))
        for one in (
            record(0, "tally.union()", returned("['a', 'b']"), (12, 12), (12, 13), arrange=filled),
            record(1, "tally.union(['b', 'c'])", returned("['a', 'b', 'b', 'c']"), (12, 12), arrange=filled),
        )
    )

    assert numbers(alone, joined, kills={0: {1, 2, 3}, 1: {4}}) == [1]
