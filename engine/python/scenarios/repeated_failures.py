"""Shows what guards against failures: after so many failed calls of a function of the test it is called no more.

The guard is an object with a limit, such as a circuit breaker. It decorates the function, or is given it to call; once
it has given up, a call raises an exception of the project's own, and lets the function be tried again later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..inputs.calls import variable_for
from ..inputs.receivers import changes_state
from ..model.model import ClassFacts, ModuleFacts, Observation, Parameter, Trial
from ..search.parallel_observers import Watcher, run_trials
from ..search.trial_search import TrialSearch
from .moved_clocks import Clock, moved
from .scenario import CALLS, Scenario, noted_calls, question, scenario_trial, show_scenarios

GIVES_UP = "gives up"
TRIES_LATER = "tries again later"
_LIMIT = re.compile(r"(\w+_)?(threshold|limit|tries|attempts|failures|errors|retries)(_\w+)?")
_WAITING = re.compile(r"(\w+_)?(timeout|cooldown|cool_down|recovery|reset|wait|delay|seconds|period|interval)(_\w+)?")
_CALLING = re.compile(r"call|run|execute|attempt|guard|protect|invoke")
_FAILURES, _SECONDS = 2, 60
_FETCH = "def fetch():\n    raise ConnectionError('no answer')"
_NOTING = f"def fetch():\n    {CALLS}.append('fetch')\n    raise ConnectionError('no answer')"
_FAILING = "for _ in range({}):\n    with pytest.raises(ConnectionError):\n        {}"


async def show_repeated_failures(facts: ModuleFacts, search: TrialSearch, observer: Watcher) -> None:
    """Runs the scenarios of a module's guards; those that hold are learned and marked, and the guard is asked."""
    clock = Clock(facts, search)
    for guard in guards(facts):
        trial = clock.stopped_trial(guard.trial) or guard.trial
        kept = await show_scenarios([Scenario(trial, GIVES_UP, _OwnError(facts.module))], search, observer)
        if not kept:
            continue
        asked = [one for one in _questions(trial, guard) if search.is_new(one)]
        await run_trials(asked, search, observer)
        if trial is not guard.trial:
            move = moved(trial, "seconds", _SECONDS, 1)
            noting = [text.replace(_FETCH, _NOTING) for text in trial.arrange]
            later = scenario_trial(trial, trial.subject, (f"{CALLS} = []", *noting, *move), trial.act)
            await show_scenarios([Scenario(later, TRIES_LATER, _fetched_again)], search, observer)


@dataclass(frozen=True, slots=True)
class Guard:
    """A trial that calls a function once more than it may fail, through an object of a class."""

    trial: Trial
    owner: ClassFacts
    variable: str


def guards(facts: ModuleFacts) -> Iterator[Guard]:
    """Generates trials with the classes of a module that take a limit of failures and call a function."""
    for owner in facts.classes:
        built = _construction(owner)
        if owner.name.startswith("_") or built is None:
            continue
        variable = variable_for(owner.name)
        base = Trial(owner.name, "", imports=(f"from {facts.module} import {owner.name}", "import pytest"))
        for member in owner.members:
            if member.is_async or member.kind != "method" or len(member.needed) != 1:
                continue
            if member.name == "__call__":
                definitions, call = (f"@{variable}\n{_FETCH}",), "fetch()"
            elif _CALLING.fullmatch(member.name):
                definitions, call = (_FETCH,), f"{variable}.{member.name}(fetch)"
            else:
                continue
            failing = _FAILING.format(_FAILURES, call)
            arrange = (f"{variable} = {built}", *definitions, failing)
            yield Guard(scenario_trial(base, member.qualname, arrange, call), owner, variable)


def _construction(owner: ClassFacts) -> str | None:
    """The construction of a guard that gives up after two failures for a minute; None for a class without a limit."""
    parameters = [one for one in owner.constructor.parameters if one.name != "self"] if owner.constructor else []
    limit = _first(parameters, _LIMIT)
    if limit is None or any(one.required and one is not limit for one in parameters):
        return None
    waiting = _first([one for one in parameters if one is not limit], _WAITING)
    given = [f"{limit.name}={_FAILURES}", *([f"{waiting.name}={_SECONDS}"] if waiting is not None else [])]
    return f"{owner.name}({', '.join(given)})"


def _first(parameters: Sequence[Parameter], name: re.Pattern[str]) -> Parameter | None:
    named = (one for one in parameters if name.fullmatch(one.name) and one.kind in _BY_NAME)
    return next(
        (one for one in named if one.default is None or one.default == "None" or one.default[:1].isdigit()), None
    )


_BY_NAME = ("positional_or_keyword", "keyword_only")


@dataclass(frozen=True, slots=True)
class _OwnError:
    """The condition that an act raised an exception of the project, and not the one of the function."""

    module: str

    def __call__(self, observation: Observation) -> bool:
        raised = observation.raised
        return raised is not None and raised.type_name.startswith(f"{self.module.partition('.')[0]}.")


def _fetched_again(observation: Observation) -> bool:
    raised = observation.raised
    failed = raised is not None and raised.type_name.rpartition(".")[2] == "ConnectionError"
    return failed and noted_calls(observation) == repr(["fetch"] * (_FAILURES + 1))


def _questions(trial: Trial, guard: Guard) -> Iterator[Trial]:
    """Questions about a guard that has given up."""
    for one in guard.owner.members:
        if one.name.startswith("_") or one.needed or one.is_async or one.kind not in ("property", "method"):
            continue
        if one.kind == "method" and changes_state(one):
            continue
        yield scenario_trial(trial, one.qualname, trial.arrange, question(guard.variable, one))
