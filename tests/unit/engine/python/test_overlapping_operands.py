"""A union is shown of two containers that share some items, not of two equal ones (B-16)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.model.model import Observation, Value
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.scenarios.overlapping_operands import overlapping_operands
from testwright.engine.python.scenarios.scenario import Scenario
from testwright.engine.python.search.trial_search import TrialRecord
from testwright.tests.unit.engine.python.test_select_trials import record, returned

pytestmark = pytest.mark.feature("B-16")

SOURCE = b"""
class Bag:
    def __init__(self, items=()):
        self.items = list(items)
    def __contains__(self, item):
        return item in self.items
    def __or__(self, other):
        return Bag([*self.items, *other.items])
    def __and__(self, other):
        return Bag(one for one in self.items if one in other)
    def __ior__(self, other):
        self.items += other.items
        return self
    def isdisjoint(self, other):
        return not any(one in self.items for one in other)
    def iter_difference(self, *others):
        for one in self.items:
            if not any(one in other for other in others):
                yield one
    def add(self, item):
        self.items.append(item)

class Stack:
    def __init__(self, items=()):
        self.items = list(items)
    def update(self, others):
        self.items += others
"""
FACTS = facts_from_source(SOURCE, ModulePlace("m.py", "m", "."))


def asked(made: str, *, wanted: str | None = None, subject: str = "Bag.__or__") -> TrialRecord:
    known = record(0, "bag | Bag([1])", returned("Bag([1])"))
    return replace(known, trial=replace(known.trial, subject=subject, arrange=(f"bag = {made}",), wanted=wanted))


def shown(*records: TrialRecord) -> list[Scenario]:
    return list(overlapping_operands(records, FACTS))


def programs(*records: TrialRecord) -> dict[str, str]:
    """The first program by subject."""
    return {one.trial.subject: "; ".join((*one.trial.arrange, one.trial.act)) for one in reversed(shown(*records))}


def test_operators_and_methods_get_an_operand_that_shares_some_items_and_has_its_own() -> None:
    found = programs(asked("Bag(list(range(4)) + list(range(8)))"))
    assert found["Bag.__or__"] == "bag = Bag([1, 2, 3, 4]); bag | Bag([3, 4, 5])"
    assert found["Bag.__ior__"] == "bag = Bag([1, 2, 3, 4]); bag.__ior__(Bag([3, 4, 5]))"
    assert found["Bag.iter_difference"] == "bag = Bag([1, 2, 3, 4]); bag.iter_difference([3, 4, 5])"


def test_items_are_of_the_kind_that_the_container_was_seen_to_hold() -> None:
    found = programs(asked("Bag(('x', 'y'))"))["Bag.iter_difference"]
    assert found == ("bag = Bag(('apple', 'banana', 'cherry')); bag.iter_difference(('banana', 'cherry', 'plum'))")


def test_a_member_that_a_document_shows_gets_no_operand() -> None:
    assert "Bag.__or__" not in programs(asked("Bag([1])", wanted="Bag([1])"))


@pytest.mark.parametrize("made", ["Bag()", "Bag([])", "Bag([1], key=2)", "Bag([(1, 2)])", "Bag(items)"])
def test_an_object_of_other_items_tells_nothing_of_what_a_container_can_hold(made: str) -> None:
    assert shown(asked(made)) == []


def test_a_class_that_is_put_together_with_nothing_gets_no_operand() -> None:
    assert not any(one.trial.subject.startswith("Stack") for one in shown(asked("Bag([1])")))


def test_a_question_is_shown_with_an_operand_for_each_answer() -> None:
    asks = [one for one in shown(asked("Bag([1])")) if one.trial.subject == "Bag.isdisjoint"]
    answers = [Observation("returned", value=Value("bool", source=answer)) for answer in ("True", "False")]
    held = {(one.trial.act, one.shows) for one in asks for seen in answers if one.holds(seen)}
    assert {act for act, _ in held} >= {"bag.isdisjoint([3, 4, 5])", "bag.isdisjoint([7, 8])"}
    assert len({shows for _, shows in held}) == 2


def test_what_neither_returns_nor_changes_anything_shows_nothing() -> None:
    [first, *_] = [one for one in shown(asked("Bag([1])")) if one.trial.subject == "Bag.__or__"]
    assert not first.holds(Observation("returned", value=Value("NoneType", source="None")))
    assert first.holds(returned("Bag([1, 2, 3, 4, 5])"))
