"""An exploration that has little time ends each of its parts in turn, says so, and keeps what it has (B-06, B-08)."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.python.explore import time_budget
from testwright.engine.python.explore.explore import ExplorationBudget
from testwright.engine.python.explore.time_budget import CONFIRMING, FALLING_BACK, HUNTING, SEARCHING, TimeBudget
from testwright.sandbox.deadline import within_deadline
from testwright.tests.support.engine.exploration import explored, trial

SOURCE = """
def fare(age):
    if age < 4:
        return 0
    return 9
"""


def test_parts_are_over_one_after_the_other_and_each_is_noted_once() -> None:
    now, notes = [100.0], []
    pace = TimeBudget(20, notes, clock=lambda: now[0])
    now[0] = 109.0
    assert not pace.is_over(SEARCHING, "Searching")
    now[0] = 110.0
    assert [pace.is_over(SEARCHING, "Searching") for _ in range(2)] == [True, True]
    assert [pace.is_over(FALLING_BACK, "More"), pace.is_over(HUNTING, "Hunting")] == [False, False]
    now[0] = 117.0
    assert pace.is_over(HUNTING, "Hunting")
    assert notes == [
        "Searching stopped after 10 seconds, its share of the time.",
        "Hunting stopped after 17 seconds, its share of the time.",
    ]


@pytest.mark.feature("B-08", "B-06")
def test_an_exploration_without_time_keeps_what_its_first_trials_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time_budget, "LEAST_SECONDS", 120.0)  # a busy machine needs more for a few calls
    trials = [trial("fare(3)"), trial("fare(4)")]
    found = explored(tmp_path, SOURCE, trials, budget=ExplorationBudget().within(0.0))[0]
    assert {finding.trial.act for finding in found.findings} == {"fare(3)", "fare(4)"}
    assert "Exploring stopped after 0 seconds, its share of the time." in found.notes
    assert not any(finding.kills for finding in found.findings)


def test_a_budget_within_more_seconds_than_it_has_stays_as_it_is() -> None:
    budget = ExplorationBudget(wall_seconds=30)
    assert budget.within(None) == budget.within(60) == budget
    assert budget.within(10).wall_seconds == 10


@pytest.mark.feature("B-08")
def test_what_no_time_was_left_for_is_said_to_be_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_budget, "LEAST_SECONDS", 0.0)
    found = explored(tmp_path, SOURCE, [trial("fare(3)")], budget=ExplorationBudget().within(0.0))[0]
    assert [(one.qualname, one.reason) for one in found.unreached] == [("fare", "no time was left to try it")]


@pytest.mark.feature("B-08")
def test_a_confirmation_that_begins_late_has_a_share_of_its_own() -> None:
    now = [100.0]
    pace = TimeBudget(120, [], clock=lambda: now[0])
    now[0] = 500.0
    with pace.until(1.0):
        assert within_deadline(60.0) <= time_budget.LEAST_SECONDS
    with pace.at_least(CONFIRMING):
        assert within_deadline(50.0) == 50.0
