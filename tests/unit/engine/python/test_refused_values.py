"""A `raise` that no call reached yet is reached with a value of another kind (B-16)."""

from __future__ import annotations

import asyncio
import traceback
from typing import Any

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.model.arcs import ArcMap
from testwright.engine.python.model.model import Observation, Raised, Trial, Value
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.scenarios.refused_values import show_refused_values
from testwright.engine.python.search.parallel_observers import run_trials
from testwright.engine.python.search.trial_search import TrialSearch
from testwright.tests.support.engine.in_process_search import IdleProposer, InProcessWatcher

pytestmark = pytest.mark.feature("B-16")

DISTINCT = """
def distinct(items):
    try:
        return set(items)
    except TypeError as error:
        raise ValueError('not hashable') from error


def longest(words):
    return max(words, key=len)
"""


class Lines(InProcessWatcher):
    """Notes the line at which an act raised as well."""

    def _observed(self, trial: Trial) -> Observation:
        try:
            return Observation("returned", value=Value("set", source=repr(eval(trial.act, dict(self._space)))))
        except (TypeError, ValueError) as error:
            lines = [frame.lineno or 0 for frame in traceback.extract_tb(error.__traceback__)]
            return Observation("raised", raised=Raised(type(error).__name__, str(error), lines[-1]))


def refused(*acts: str) -> list[str]:
    """The acts that are learned beside others."""
    facts = facts_from_source(DISTINCT.encode(), ModulePlace("m.py", "m", "."))
    search = TrialSearch(facts, ArcMap(DISTINCT), IdleProposer(), frozenset(), 100)

    async def run() -> list[str]:
        watcher: Any = Lines(DISTINCT)
        await run_trials([Trial(act.partition("(")[0], act) for act in acts], search, watcher)
        await show_refused_values(facts, search, watcher)
        return [one.trial.act for one in search.records[len(acts) :]]

    return asyncio.run(run())


def test_the_first_call_that_a_raise_of_the_code_refuses_is_learned() -> None:
    assert refused("distinct([3, 1, 3])") == ["distinct([[1, 2], [3, 4]])"]


def test_misuse_that_the_code_does_not_refuse_itself_is_not_learned() -> None:
    assert refused("longest(['fig', 'kiwi'])") == []


def test_a_raise_that_was_reached_already_is_left_alone() -> None:
    assert refused("distinct([3, 1, 3])", "distinct([[2]])") == []
