"""Time goes by between two calls: what is due runs once, a kept result expires, an answer changes (B-16)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from testwright.engine.python.model.arcs import ArcMap
from testwright.engine.python.model.model import CallableFacts, ClassFacts, ModuleFacts, Observation, Parameter, Trial
from testwright.engine.python.model.observation_json import ObservedTrial
from testwright.engine.python.scenarios.counted_calls import REMEMBERS
from testwright.engine.python.scenarios.moved_clocks import moved, show_moved_clocks
from testwright.engine.python.scenarios.scenario import Scenario
from testwright.engine.python.search.observer import EXPLORING
from testwright.engine.python.search.trial_search import TrialSearch
from testwright.tests.unit.engine.python.test_select_trials import returned

pytestmark = pytest.mark.feature("B-16")


def called(qualname: str, *parameters: Parameter, kind: str = "method") -> CallableFacts:
    return CallableFacts(qualname, kind, (1, 9), parameters, owner=qualname.rpartition(".")[0] or None)  # pyrefly: ignore[bad-argument-type]


ITSELF = Parameter("self", "positional_or_keyword")
DESK = ClassFacts(
    "Desk",
    "plain",
    (1, 9),
    constructor=called("Desk", ITSELF, kind="constructor"),
    members=(
        called(
            "Desk.every", ITSELF, Parameter("minutes", "positional_or_keyword"), Parameter("args", "var_positional")
        ),
        called("Desk.run_all", ITSELF),
        called("Desk.run_pending", ITSELF),
        called("Desk.next_run", ITSELF, kind="property"),
    ),
)
KEEP = called("keep", Parameter("seconds", "positional_or_keyword", default="60"), kind="function")
FACTS = ModuleFacts("m.py", "m", ".", "", functions=(KEEP,), classes=(DESK,))
STOP = ("now = datetime.datetime(2024, 6, 14, 9)", "monkeypatch.setattr('m.datetime.datetime', datetime_at(now))")


class Clocks:
    """Proposes nothing but trials with a stopped clock."""

    def __init__(self, *statements: str) -> None:
        self.statements = statements

    def initial(self) -> Any:
        return iter(())

    def follow_up(self, trial: Trial, observation: Observation) -> list[Trial]:
        return []

    def stand_ins(self, trial: Trial, observation: Observation) -> list[Trial]:
        return [replace(trial, arrange=(*self.statements, *trial.arrange), fixtures=("monkeypatch",))]


class Noting:
    """Watches trials by writing down their programs; each answers alike."""

    conditions = EXPLORING

    def __init__(self) -> None:
        self.programs: list[tuple[str, tuple[str, ...], str]] = []

    async def watch(self, trials: list[Trial], **_: object) -> list[ObservedTrial]:
        self.programs += [(one.subject, one.arrange, one.act) for one in trials]
        return [ObservedTrial(returned("3")) for _ in trials]


def programs(
    trial: Trial, *stop: str, remembering: tuple[Scenario, ...] = ()
) -> list[tuple[str, tuple[str, ...], str]]:
    search, noting = TrialSearch(FACTS, ArcMap("pass\n"), Clocks(*stop), frozenset(), 100), Noting()
    search.learn(trial, ObservedTrial(returned("2")))
    asyncio.run(show_moved_clocks(FACTS, search, noting, remembering))  # pyrefly: ignore[bad-argument-type]
    return noting.programs


EVERY = Trial("Desk.every", "desk.every(5, lambda x: x)", arrange=("desk = Desk()",))


def test_a_job_is_registered_and_run_before_it_is_due_and_after() -> None:
    found = [(arrange, act) for subject, arrange, act in programs(EVERY, *STOP) if subject == "Desk.run_pending"]
    assert (
        (
            *STOP,
            "calls = []",
            "def job(name):\n    calls.append(name)",
            "desk = Desk()",
            "desk.every(5, job, 'milk')",
            "desk.run_pending()",
            "now += datetime.timedelta(minutes=5)",
            STOP[1],
        ),
        "desk.run_pending()",
    ) in found


def test_the_object_that_something_is_registered_with_is_asked_when_the_clock_stands() -> None:
    asked = [(arrange[-1], act) for subject, arrange, act in programs(EVERY, *STOP) if subject == "Desk.next_run"]
    assert asked[:1] == [("desk.every(5, job, 'milk')", "desk.next_run")]


def test_the_function_of_the_test_takes_no_name_that_the_program_has() -> None:
    trial = replace(EVERY, arrange=("desk = Desk()", "job = 3"))
    found = [arrange for subject, arrange, _ in programs(trial, *STOP) if subject == "Desk.run_pending"]
    assert "desk.every(5, task, 'milk')" in found[0]


def test_an_answer_is_asked_again_later_by_the_numbers_of_the_object() -> None:
    trial = Trial("Desk.next_run", "desk.next_run", arrange=(*STOP, "desk = Desk(3)"))
    moves = [arrange[-2] for subject, arrange, _ in programs(trial) if subject == "Desk.next_run"]
    assert moves == [
        "now += datetime.timedelta(seconds=3)",
        "now += datetime.timedelta(minutes=3)",
        "now += datetime.timedelta(hours=3)",
        "now += datetime.timedelta(days=3)",
        "now += datetime.timedelta(days=7)",
    ]


def test_a_remembered_result_is_asked_for_again_after_the_default_time() -> None:
    kept = Trial("keep", "[double(4), double(4)]", arrange=("calls = []", "@keep()\ndef double(number): ..."))
    known = Scenario(kept, REMEMBERS, lambda observation: True)
    found = programs(EVERY, "now = 1718355600", remembering=(known,))
    assert ("keep", ("now = 1718355600", *kept.arrange, "double(4)", "now += 60"), "double(4)") in found


def test_without_a_clock_that_can_be_stopped_nothing_is_tried() -> None:
    assert programs(EVERY) == []


def test_a_clock_of_seconds_moves_by_seconds() -> None:
    assert moved(Trial("f", "f()", arrange=("now = 100",)), "minutes", 2, 60) == ("now += 120",)
