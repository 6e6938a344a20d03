"""Which trials run next (B-06)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from testwright.engine.python.model.arcs import ArcMap
from testwright.engine.python.model.model import CallableFacts, ModuleFacts, Observation, Trial, Value
from testwright.engine.python.model.observation_json import ObservedTrial
from testwright.engine.python.search.trial_search import (
    BAD_ENDINGS,
    ENOUGH_TRIALS,
    FIRST_TRIALS,
    REPLACED_AFTER,
    TrialSearch,
)

SOURCE = """def plain(x):
    return x


def branching(x):
    if x > 3:
        return 1
    if x < -3:
        return 2
    return 0
"""
FACTS = ModuleFacts(
    "m.py",
    "m",
    ".",
    "",
    functions=(CallableFacts("plain", "function", (1, 2)), CallableFacts("branching", "function", (5, 10))),
)
DONE = ObservedTrial(Observation("returned", value=Value("int", source="1"), arcs=frozenset({(2, -1)})))


class Endless:
    """Proposes for both callables in turns, and a little more after each observation when told to."""

    def __init__(self, follow: int = 0) -> None:
        self.follow = follow
        self.followed = 0

    def initial(self) -> Iterator[Trial]:
        for number in range(100_000):
            yield Trial("plain", f"plain({number})")
            yield Trial("branching", f"branching({number})")

    def object_stories(self, line: int) -> list[Trial]:
        """No stories."""
        return []

    def near(self, trial: Trial, observation: Observation, line: int, wave: int) -> list[Trial]:
        return []

    def follow_up(self, trial: Trial, observation: Observation) -> list[Trial]:
        found = [Trial(trial.subject, f"{trial.act} + {self.followed + number}") for number in range(self.follow)]
        self.followed += len(found)
        return found

    def stand_ins(self, trial: Trial, observation: Observation) -> list[Trial]:
        """None."""
        return []


def searching(proposer: Endless | None = None) -> TrialSearch:
    return TrialSearch(FACTS, ArcMap(SOURCE), proposer or Endless(), frozenset(), 3000)


def run(search: TrialSearch, seen: dict[str, ObservedTrial], batches: int = 10) -> Counter[str]:
    ran: Counter[str] = Counter()
    for _ in range(batches):
        for trial in search.next_batch(20):
            ran[trial.subject] += 1
            search.learn(trial, seen[trial.subject])
    return ran


def test_every_callable_gets_its_first_trials() -> None:
    first = Counter(trial.subject for trial in searching().next_batch(2 * FIRST_TRIALS))
    assert first == {"plain": FIRST_TRIALS, "branching": FIRST_TRIALS}


@pytest.mark.feature("B-06")
def test_uncovered_code_gets_the_trials_and_covered_code_gets_no_more() -> None:
    entered = ObservedTrial(Observation("returned", arcs=frozenset({(6, 8)})))
    ran = run(searching(), {"plain": DONE, "branching": entered}, 40)
    assert ran["plain"] <= ENOUGH_TRIALS + FIRST_TRIALS
    assert ran["branching"] > 5 * ran["plain"]


def test_a_name_that_never_leads_into_its_own_lines_is_left_alone() -> None:
    ran = run(searching(), {"plain": DONE, "branching": ObservedTrial(Observation("returned", arcs=frozenset()))}, 40)
    assert REPLACED_AFTER <= ran["branching"] < ENOUGH_TRIALS


def test_a_callable_that_keeps_ending_badly_is_left_alone() -> None:
    ran = run(searching(), {"plain": DONE, "branching": ObservedTrial(Observation("timed_out"))})
    assert BAD_ENDINGS <= ran["branching"] <= 20


def test_nothing_runs_twice() -> None:
    search = searching(Endless(follow=2))
    acts: list[str] = []
    for _ in range(20):
        for trial in search.next_batch(20):
            acts.append(trial.act)
            search.learn(trial, DONE)
    assert len(acts) == len(set(acts))
    assert any("+" in act for act in acts)


def test_an_iterator_is_tried_again_to_be_read_through() -> None:
    search = searching()
    (trial,) = search.next_batch(1)
    search.learn(trial, ObservedTrial(Observation("returned", value=Value("types.GeneratorType")), calls_for="iterate"))
    again = next(one for one in search.next_batch(20) if one.act == trial.act)
    assert again.mode == "iterate"


def test_arcs_are_counted_by_the_first_lines_of_statements() -> None:
    arcs = ArcMap("def f(x):\n    return g(\n        x,\n    )\n")
    assert arcs.real({(-1, 2), (3, -1), (2, 3)}) == {(2, -1)}
