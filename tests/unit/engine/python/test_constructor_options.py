"""What an option of a class is for shows beside the same call on an object without it (B-16)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.model.arcs import ArcMap
from testwright.engine.python.model.model import Trial
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.scenarios.constructor_options import show_constructor_options
from testwright.engine.python.search.influence_trials import Control, Distinction
from testwright.engine.python.search.parallel_observers import run_trials
from testwright.engine.python.search.trial_search import TrialSearch
from testwright.tests.support.engine.in_process_search import IdleProposer, InProcessWatcher

pytestmark = pytest.mark.feature("B-16")

COUNTER = """
class Counter:
    def __init__(self, once: bool = False, size: int | None = 1, label: str = ''):
        self.once, self.size, self.label = once, size, label

    def count(self, text):
        parts = text.split() if self.size is None else list(text)
        return len(set(parts) if self.once else parts)

    def first(self, text):
        return text[:1]
"""


USUAL = ("counter = Counter()", "counter.count('a dog')")


def shown(*trials: tuple[str, ...]) -> dict[str, tuple[str, str, str]]:
    """Option to statement, act and the act that it is compared with."""
    facts = facts_from_source(COUNTER.encode(), ModulePlace("m.py", "m", "."))
    search = TrialSearch(facts, ArcMap(COUNTER), IdleProposer(), frozenset(), 100)

    async def run() -> None:
        watcher: Any = InProcessWatcher(COUNTER)
        given = [Trial(f"Counter.{member}", act, arrange=(made,)) for member, made, act in trials]
        await run_trials(given, search, watcher)
        await show_constructor_options(facts, search, watcher)

    asyncio.run(run())
    by_number = {one.number: one.trial for one in search.records}
    return {
        str(one.notes[Distinction]): (
            one.trial.arrange[0],
            one.trial.act,
            f"{by_number[control].arrange[0]}; {by_number[control].act}",
        )
        for one in search.records
        if isinstance(control := one.notes.get(Control), int)
    }


def test_flags_and_options_that_may_be_none_are_shown_beside_the_call_without_them() -> None:
    plain = "counter = Counter()"
    found = shown(("count", plain, "counter.count('a dog or a cat')"), ("first", plain, "counter.first('a dog')"))

    beside = f"{plain}; counter.count('a dog or a cat')"
    assert found == {
        "option once": ("counter = Counter(once=True)", "counter.count('a dog or a cat')", beside),
        "option size": ("counter = Counter(size=None)", "counter.count('a dog or a cat')", beside),
    }


def test_an_option_that_changes_no_answer_is_not_shown() -> None:
    found = shown(
        ("count", "counter = Counter()", "counter.count('a dog or a cat')"),
        ("count", "counter = Counter(label='pets')", "counter.count('a dog or a cat')"),
    )
    assert "option label" not in found


def test_a_value_that_was_passed_elsewhere_shows_what_its_option_changes() -> None:
    found = shown(("count", "counter = Counter(size=None)", "counter.count('a dog')"), ("count", *USUAL))
    assert found["option size"][0] == "counter = Counter(size=None)"


def test_a_method_that_no_option_changes_shows_none() -> None:
    assert shown(("first", "counter = Counter()", "counter.first('a dog')")) == {}


def test_an_option_is_shown_where_the_answer_says_most() -> None:
    plain = "counter = Counter()"
    found = shown(("count", plain, "counter.count('aa')"), ("count", plain, "counter.count('a dog or a cat')"))
    assert found["option once"][1] == "counter.count('a dog or a cat')"
