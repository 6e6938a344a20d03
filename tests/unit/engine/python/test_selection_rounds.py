"""Selecting again in place of what could not be repeated ends when there is no time, and loses nothing."""

from __future__ import annotations

import pytest

from testwright.engine.python.explore.confirm import ALONE, TOO_LATE, Confirmation
from testwright.engine.python.explore.selection_rounds import confirm_selection
from testwright.engine.python.model.model import Observation, Trial
from testwright.engine.python.model.observation_json import ObservedTrial
from testwright.engine.python.search.trial_search import TrialRecord

pytestmark = pytest.mark.feature("B-08")
SEEN = Confirmation(ObservedTrial(Observation("returned")))


def records(count: int) -> list[TrialRecord]:
    trials = [Trial("fare", f"fare({number})") for number in range(count)]
    seen = ObservedTrial(Observation("returned"))
    return [TrialRecord(number, trial, seen, frozenset(), frozenset(), False) for number, trial in enumerate(trials)]


class Rounds:
    """Answers each round by its script; a further round raises."""

    def __init__(self, *reasons: list[str]) -> None:
        self._reasons = list(reasons)

    async def __call__(self, usable: list[TrialRecord]) -> tuple[list[TrialRecord], list[Confirmation]]:
        reasons = self._reasons.pop(0)
        chosen = usable[: len(reasons)]
        return chosen, [Confirmation(None, reason=reason) if reason else SEEN for reason in reasons]


async def test_what_a_round_confirmed_stands_when_the_next_one_comes_too_late() -> None:
    work = await confirm_selection(records(4), Rounds(["", "", ALONE], [TOO_LATE, TOO_LATE, TOO_LATE]))
    assert [record.number for record, _ in work.confirmed] == [0, 1]
    assert list(work.bad) == [2]


async def test_a_first_round_that_time_ends_keeps_what_it_confirmed_and_is_the_last() -> None:
    work = await confirm_selection(records(4), Rounds(["", TOO_LATE, ""]))
    assert [record.number for record, _ in work.confirmed] == [0, 2]
    assert work.dropped == {"fare": TOO_LATE}


async def test_there_is_no_further_round_without_time() -> None:
    asked: list[bool] = []

    def is_over() -> bool:
        asked.append(True)
        return True

    await confirm_selection(records(4), Rounds(["", ""]), is_over)
    assert not asked
    work = await confirm_selection(records(4), Rounds(["", ALONE]), is_over)
    assert [record.number for record, _ in work.confirmed] == [0]


async def test_further_rounds_take_others_in_place_of_what_could_not_be_repeated() -> None:
    work = await confirm_selection(records(4), Rounds(["", ALONE], ["", ""]))
    assert [record.number for record, _ in work.confirmed] == [0, 2]
