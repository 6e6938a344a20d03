"""Mutants that share a process are told apart as if each had its own (B-11)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from testwright.engine.python.model.model import Trial
from testwright.engine.python.mutants.mutant_worker_client import MutantOutcome, MutantRequest, open_mutant_worker
from testwright.mutation.catalog import mutants_of
from testwright.tests.support.engine.exploration import PATH, facts_of, files, trial
from testwright.tests.support.engine.targets import prepared

pytestmark = pytest.mark.feature("B-11")

REMEMBERING = '''
"""Things that remember."""

import functools


def counting():
    """A function that counts what no other can see."""
    told = [0]

    def count(step=1):
        told[0] += step
        return step

    def total():
        return told[0]

    return count, total


count, total = counting()
KNOWN = {}
LIMIT = 3


def kept(key):
    """What was worked out before."""
    if key not in KNOWN:
        KNOWN[key] = key * 2
    return KNOWN[key]


@functools.lru_cache(maxsize=None)
def cached(key):
    """The same, kept by the library."""
    return key + 7


def ask(key):
    """Below a limit."""
    return total() == 0 and key < LIMIT


def leave(key):
    """Counts for good."""
    if key > 4:
        count(1)
    return key


def fall(key):
    """Ends everything, sometimes."""
    if key > 90:
        import os

        os.abort()
    return key
'''


def answers(
    folder: Path, trials: Sequence[Trial], wanted: Sequence[tuple[str, int]]
) -> tuple[list[str], list[MutantOutcome]]:
    """The trials' values, and what became of mutants, which are known by the changed line, tried in one request."""
    mutants = {one.after: one for one in mutants_of(REMEMBERING.encode(), PATH)}

    async def run() -> tuple[list[str], list[MutantOutcome]]:
        async with (
            prepared(folder, files(REMEMBERING)) as target,
            open_mutant_worker(target, facts_of(target)) as lockstep,
        ):
            seen = await lockstep.learn(trials)
            asked = [
                MutantRequest(number, mutants[text], "LIMIT =" in text, tuple(range(len(trials))), enough)
                for number, (text, enough) in enumerate(wanted)
            ]
            values = [one.observation.value for one in seen if one is not None]
            return [value.source or "" for value in values if value is not None], await lockstep.run(asked)

    return asyncio.run(run())


def test_what_a_mutant_leaves_in_a_module_is_put_back_for_the_next(tmp_path: Path) -> None:
    trials = [trial("kept(1)"), trial("cached(1)"), trial("ask(2)")]
    wanted = [
        ("KNOWN[key] = key / 2", 9),
        ("return key + 8", 9),
        ("KNOWN[key] = key * 3", 9),
        ("return key - 7", 9),
        ("LIMIT = 4", 9),
        ("return total() != 0 and key < LIMIT", 9),
    ]
    values, told = answers(tmp_path, trials, wanted)
    assert values == ["2", "8", "True"]
    assert [{each.trial for each in one.differences} for one in told] == [{0}, {1}, {0}, {1}, set(), {2}]


def test_a_mutant_that_leaves_what_cannot_be_put_back_spoils_no_answer(tmp_path: Path) -> None:
    trials = [trial("leave(4)"), trial("ask(2)"), trial("kept(3)")]
    wanted = [("if key >= 4:", 9), ("KNOWN[key] = key / 2", 9), ("return total() == 0 or key < LIMIT", 9)]
    values, told = answers(tmp_path, trials, wanted)
    assert values == ["4", "True", "6"]
    assert [{each.trial for each in one.differences} for one in told] == [{1}, {2}, set()]
    assert [one.status for one in told] == ["tried"] * 3


def test_a_process_that_a_mutant_ends_costs_the_other_mutants_nothing(tmp_path: Path) -> None:
    trials = [trial("cached(1)"), trial("fall(5)"), trial("kept(3)")]
    wanted = [("return key + 8", 9), ("if key <= 90:", 9), ("KNOWN[key] = key * 3", 9), ("return key - 7", 9)]
    values, told = answers(tmp_path, trials, wanted)
    assert values == ["8", "5", "6"]
    differing = [{each.trial: set(each.facets) for each in one.differences} for one in told]
    assert differing == [{0: {"result"}}, {1: {"ends"}}, {2: {"result"}}, {0: {"result"}}]


def test_mutants_run_where_the_path_of_the_state_is_too_long_for_sockets(tmp_path: Path) -> None:
    folder = tmp_path / ("deep" * 20)
    values, outcomes = answers(folder, [trial("kept(1)")], [("KNOWN[key] = key / 2", 9)])
    assert values == ["2"]
    assert [outcome.status for outcome in outcomes] == ["tried"]
    assert [difference.trial for difference in outcomes[0].differences] == [0]
