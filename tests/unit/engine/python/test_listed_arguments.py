"""Where one list may stand for any number of arguments, a test passes one (B-16)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.scenarios.listed_arguments import listed_arguments
from testwright.engine.python.search.trial_search import TrialRecord
from testwright.tests.unit.engine.python.test_select_trials import record, returned

pytestmark = pytest.mark.feature("B-16")

SOURCE = """
def total(*parts):
    if len(parts) == 1:
        parts = parts[0]
    return sum(parts)

def combine(func, *parts):
    if len(parts) == 1:
        (parts,) = parts
    return func(parts)

def count(*parts):
    return len(parts)
"""
FACTS = facts_from_source(SOURCE.encode(), ModulePlace("m.py", "m", "."))


def called(act: str, answer: str) -> TrialRecord:
    found = record(0, act, returned(answer))
    return replace(found, trial=replace(found.trial, subject=act.partition("(")[0]))


@pytest.mark.parametrize(
    ("one", "act"),
    [
        pytest.param(called("total(1, 2)", "3"), "total([1, 2])", id="all arguments"),
        pytest.param(called("combine(max, 1, 2)", "2"), "combine(max, [1, 2])", id="those after the first"),
    ],
)
def test_the_arguments_of_a_call_are_passed_in_one_list(one: TrialRecord, act: str) -> None:
    (found,) = listed_arguments([one], FACTS, SOURCE)

    assert found.trial.act == act
    assert found.holds(one.observation)
    assert not found.holds(returned("0"))


def test_what_unpacks_no_list_is_passed_none() -> None:
    assert not list(listed_arguments([called("count(1, 2)", "2")], FACTS, SOURCE))


def test_one_argument_is_no_list() -> None:
    assert not list(listed_arguments([called("combine(max, 1)", "1")], FACTS, SOURCE))
