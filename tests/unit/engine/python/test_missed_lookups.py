"""A lookup that finds nothing is shown without a default, and with the flag that has it raise (B-16)."""

from __future__ import annotations

import asyncio

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.model.arcs import ArcMap
from testwright.engine.python.model.model import Trial
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.scenarios.missed_lookups import show_missed_lookups
from testwright.engine.python.scenarios.scenario import is_further_row
from testwright.engine.python.search.trial_search import TrialSearch
from testwright.tests.support.engine.in_process_search import IdleProposer, InProcessWatcher

pytestmark = pytest.mark.feature("B-16")

SOURCE = """
def get_in(keys, found, default=None, no_default=False):
    for key in keys:
        try:
            found = found[key]
        except (KeyError, IndexError):
            if no_default:
                raise
            return default
    return found
"""
FACTS = facts_from_source(SOURCE.encode(), ModulePlace("m.py", "m", "."))


def learned(*acts: str, source: str = "doctest") -> TrialSearch:
    """A search that knows calls, and what is shown beside them."""
    search, here = TrialSearch(FACTS, ArcMap("pass\n"), IdleProposer(), frozenset(), 100), InProcessWatcher(SOURCE)

    async def run() -> None:
        for trial in (Trial("get_in", act, source=source) for act in acts):
            search.learn(trial, (await here.watch([trial]))[0])
        await show_missed_lookups(FACTS, search, here)  # pyrefly: ignore[bad-argument-type]

    asyncio.run(run())
    return search


def test_documented_misses_become_rows() -> None:
    search = learned("get_in(['a'], {'a': 1})", "get_in(['b'], {'a': 1})", "get_in(['a', 3], {'a': [1]})")

    rows = [one.trial.act for one in search.records if is_further_row(one)]

    assert rows == ["get_in(['b'], {'a': 1})", "get_in(['a', 3], {'a': [1]})"]


def test_each_miss_is_tried_with_the_flag_that_has_it_raise() -> None:
    search = learned("get_in(['b'], {'a': 1})", "get_in(['a', 3], {'a': [1]})")

    raised = {one.trial.act: one.observation.raised for one in search.records if one.observation.raised is not None}

    assert {act: error.type_name for act, error in raised.items()} == {
        "get_in(['b'], {'a': 1}, no_default=True)": "KeyError",
        "get_in(['a', 3], {'a': [1]}, no_default=True)": "IndexError",
    }


@pytest.mark.parametrize(
    "act", ["get_in(['b'], {'a': 1}, no_default=False)", "get_in(keys=['b'], found={'a': 1}, no_default=False)"]
)
def test_a_flag_that_a_miss_passes_is_not_passed_twice(act: str) -> None:
    assert [one.trial.act for one in learned(act).records] == [act]


@pytest.mark.parametrize(
    ("act", "source"),
    [
        pytest.param("get_in(['b'], {'a': 1}, None)", "doctest", id="the default is passed"),
        pytest.param("get_in(['a'], {'a': 1})", "doctest", id="something is found"),
        pytest.param("get_in(['b'], {'a': 1})", "signature", id="nobody wrote the call"),
    ],
)
def test_other_calls_become_no_rows(act: str, source: str) -> None:
    assert not any(map(is_further_row, learned(act, source=source).records))
