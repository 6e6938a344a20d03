"""Runs scenarios and keeps those that show what they are for.

Rows that stand beside an example whatever else they add are marked here, too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ....utils.python_names import last_name
from ....utils.python_source import normalized, shared_expression
from ..model.model import CallableFacts, Observation, Trial
from ..model.observation_json import ObservedTrial
from ..search.influence_trials import Distinction
from ..search.parallel_observers import Watcher, run_trials, time_dependent_trials
from ..search.trial_search import TrialRecord, TrialSearch

_DEFINED = re.compile(r"(?m)^def (\w+)\(")
_NOT_TO_JUDGE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
CALLS = "calls"
"""The list in which a function of the test notes what it is called with."""

ROUND_TRIP = "round trip"
"""What a scenario shows that undoes a call; it is no example of what one call does."""

LISTED = "one list for all arguments"
"""What a scenario shows that passes a list in place of several arguments."""


class ShownBehaviour:
    """Key of the notes of records of scenarios; the value names what the scenario shows."""


class FurtherRow:
    """Key of the notes of records that become rows beside an example of the same form; the value says what is shown."""


def mark_further_row(record: TrialRecord, shows: str) -> None:
    """Has a record become a row, if an example of the same form becomes a test."""
    record.notes.setdefault(FurtherRow, shows)
    record.notes.setdefault(Distinction, shows)


def is_further_row(record: TrialRecord) -> bool:
    """Whether a record is such a row."""
    return FurtherRow in record.notes


@dataclass(frozen=True, slots=True)
class Scenario:
    """A trial whose outcome is known beforehand.

    Attributes:
        shows: what it is for, in a word; of one callable the first scenario that shows it is kept.
        holds: whether an observation shows that.
        needs: what another scenario of the callable has to show before; "" for nothing.
    """

    trial: Trial
    shows: str
    holds: Callable[[Observation], bool]
    needs: str = ""


async def show_scenarios(scenarios: Iterable[Scenario], search: TrialSearch, observer: Watcher) -> list[Scenario]:
    """Runs scenarios of callables that the search knows; those that hold are learned, and marked. The others are no
    examples of anything.

    Returns:
        The scenarios that are kept.
    """
    proposed = [one for one in scenarios if search.is_new(one.trial)]
    # One trial may be there for two scenarios, one for each answer.
    trials = list(dict.fromkeys(one.trial for one in proposed))
    answers = await observer.watch(trials)
    moving = await time_dependent_trials(trials, answers, observer)
    indices = {trial: at for at, trial in enumerate(trials)}
    kept: dict[tuple[str, str], Scenario] = {}
    for one in proposed:
        index = indices[one.trial]
        seen = answers[index]
        subject, before = one.trial.subject, len(search.records)
        if (subject, one.shows) in kept or (one.needs and (subject, one.needs) not in kept):
            continue
        if index in moving or not _holds(one, seen.observation):
            continue
        search.learn(one.trial, _without_names_of_functions(one.trial, seen))
        if len(search.records) > before:
            kept[subject, one.shows] = one
            notes = search.records[-1].notes
            notes[Distinction] = notes[ShownBehaviour] = one.shows
    return list(kept.values())


def _holds(scenario: Scenario, observation: Observation) -> bool:
    """Whether an observation shows what a scenario is for; not where it is nothing that its condition can judge."""
    try:
        return scenario.holds(observation)
    except _NOT_TO_JUDGE:
        return False


def _without_names_of_functions(trial: Trial, seen: ObservedTrial) -> ObservedTrial:
    """The observation without a message that names a function of the test: inside a test its name is a longer one."""
    raised = seen.observation.raised
    defined = [found for text in trial.arrange for found in _DEFINED.findall(text)]
    if raised is None or not any(name in raised.message for name in defined):
        return seen
    return replace(seen, observation=replace(seen.observation, raised=replace(raised, message="")))


def noted_calls(observation: Observation) -> str:
    """The source of what a function of the test was called with during the act; "" where it was not called."""
    return next((value.source or "" for name, value in observation.effects if name == CALLS), "")


def returned_source(observation: Observation) -> str:
    """The source of the result; "" where the act did not return, or what it returned has none."""
    value = observation.value
    return (value.source or "") if observation.outcome == "returned" and value is not None else ""


@dataclass(frozen=True, slots=True)
class Returns:
    """The condition that the act returned what has a source."""

    source: str

    def __call__(self, observation: Observation) -> bool:
        return normalized(returned_source(observation)) == normalized(self.source) != ""


def scenario_trial(base: Trial, subject: str, arrange: Sequence[str], act: str) -> Trial:
    """A trial with the imports of another one, and those of its fixtures that it uses."""
    text = "\n".join((*arrange, act))
    return replace(
        base,
        subject=subject,
        fixtures=tuple(name for name in base.fixtures if name in text),
        arrange=tuple(arrange),
        act=act,
        mode="call",
        source="usage",
        wanted=None,
        wanted_line=0,
        looks=(),
        asks=(),
    )


def asked_otherwise(trial: Trial, act: str) -> Trial:
    """The trial with another act: what a document says of the one before it does not say of this one."""
    return replace(trial, act=act, source="domain", wanted=None, wanted_line=0, wanted_path="")


async def records_of(trials: Sequence[Trial], search: TrialSearch, observer: Watcher) -> list[TrialRecord | None]:
    """Runs those of some trials that a search does not know; the last record of each, None where it has none."""
    await run_trials([trial for trial in trials if search.is_new(trial)], search, observer)
    known = {situation_of(record.trial): record for record in search.records}
    return [known.get(situation_of(trial)) for trial in trials]


def question(variable: str, member: CallableFacts) -> str:
    """The act that asks an object for a property, or calls a method without arguments."""
    return f"{variable}.{member.name}" + ("" if member.kind == "property" else "()")


def situation_of(trial: Trial) -> tuple[object, ...]:
    """What a trial does, whoever proposed it."""
    return trial.subject, trial.mode, trial.arrange, trial.act


def own_call(record: TrialRecord, one: CallableFacts) -> ast.Call | None:
    """The call, for reading only, of a function that a record's act is; None where it is anything else."""
    call = shared_expression(record.trial.act) if record.trial.subject == one.qualname else None
    return call if isinstance(call, ast.Call) and last_name(call.func) == one.name else None


def is_plain_return(record: TrialRecord) -> bool:
    """Whether a record's act is a plain call or attribute that returned, on any day."""
    trial, observation = record.trial, record.observation
    return trial.mode == "call" and observation.outcome == "returned" and not record.time_dependent
