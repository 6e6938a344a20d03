"""Shows what happens when time goes by: a job that is due is run once, a kept result expires, an answer changes later.

The clock of the module is stopped as for any other test, and moved between two calls.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....utils.python_names import assigned_names, assigned_variable, last_name, names_of
from ....utils.python_source import expression_or_none, literal_or, parse_or_none
from ..inputs.receivers import changes_state
from ..model.model import CallableFacts, ClassFacts, ModuleFacts, Observation, Trial
from ..search.parallel_observers import Watcher, run_trials
from ..search.trial_search import TrialRecord, TrialSearch
from ..source.moments import NOW
from .scenario import CALLS, Scenario, noted_calls, question, returned_source, scenario_trial, show_scenarios

RUNS_DUE = "runs what is due"
EXPIRES = "expires"
LATER = "answers otherwise later"
_RUNNING = re.compile(r"(run|tick|poll|process|fire|execute|dispatch|work|step|trigger|check|flush|advance)(_\w+)?")
_UNITS = (("seconds", 1), ("minutes", 60), ("hours", 3600), ("days", 86400))
_WEEK = 7
_MOST_EACH = 2
_JOB_NAMES = ("job", "task", "errand")
_JOB = "def {}(name):\n    calls.append(name)"
_PLAIN_JOB = "def {}():\n    calls.append('job')"
_MOVED = re.compile(r"monkeypatch\.setattr\(.*\b(datetime_at|date_on)\(")


async def show_moved_clocks(
    facts: ModuleFacts, search: TrialSearch, observer: Watcher, remembering: Sequence[Scenario]
) -> None:
    """Runs the scenarios in which time goes by; those that hold are learned, and marked.

    Args:
        remembering: scenarios of functions whose results are remembered.
    """
    clock = Clock(facts, search)
    programs = [one for found in map(clock.stopped, _registrations(search.records, facts)) for one in found]
    asked = [one for program in programs for one in _questions(program, facts) if search.is_new(one)]
    await run_trials(asked, search, observer)
    scenarios = [one for program in programs for one in _due(program)]
    scenarios += [one for known in remembering for one in _expiring(known, clock)]
    scenarios += _later(search.records)
    await show_scenarios(scenarios, search, observer)


@dataclass(frozen=True, slots=True)
class _Program:
    """Statements that register a function of the test with an object, and the method that runs what is due."""

    trial: Trial
    owner: ClassFacts
    variable: str


@dataclass(frozen=True, slots=True)
class Clock:
    """Stops the clock of a module in front of trials."""

    facts: ModuleFacts
    search: TrialSearch

    def stopped_trial(self, trial: Trial) -> Trial | None:
        """The trial with a stopped clock; None where none can be stopped."""
        if _is_stopped(trial):
            return trial
        reading = Observation("returned", consulted=(f"clock:{self.facts.module}",))
        found = self.search.proposer.stand_ins(trial, reading)
        return found[0] if found and _is_stopped(found[0]) else None

    def stopped(self, program: _Program) -> list[_Program]:
        trial = self.stopped_trial(program.trial)
        return [_Program(trial, program.owner, program.variable)] if trial is not None else []


def _is_stopped(trial: Trial) -> bool:
    return any(text.startswith(f"{NOW} = ") for text in trial.arrange)


def _registrations(records: Sequence[TrialRecord], facts: ModuleFacts) -> Iterator[_Program]:
    """Programs that register a function, from calls that did, with what runs it; those of documents come first."""
    runners = {owner.name: runner for owner in facts.classes if (runner := _runner(owner)) is not None}
    owners = {owner.name: owner for owner in facts.classes}
    counts: dict[str, int] = {}
    found = (record for record in records if runners and record.observation.outcome == "returned")
    for record in sorted(found, key=lambda one: (one.trial.source not in ("doctest", "document"), one.number)):
        trial = record.trial
        if trial.mode != "call" or ("monkeypatch" in trial.fixtures and not _is_stopped(trial)):
            continue
        variable, name = next(((one, made) for one, made in _built(trial) if made in runners), ("", ""))
        taken = assigned_names(trial.arrange)
        job = next(one for one in _JOB_NAMES if one not in taken or one == _JOB_NAMES[-1])
        statement = _registering(trial.act, facts, job) if variable else None
        if statement is None or counts.get(name, 0) >= _MOST_EACH:
            continue
        counts[name] = counts.get(name, 0) + 1
        definition = (_JOB if "'milk'" in statement else _PLAIN_JOB).format(job)
        arrange = (f"{CALLS} = []", definition, *trial.arrange, statement)
        runner = runners[name]
        made = scenario_trial(trial, runner.qualname, arrange, f"{variable}.{runner.name}()")
        yield _Program(made, owners[name], variable)


def _runner(owner: ClassFacts) -> CallableFacts | None:
    """The method that runs what is due: of those that need no argument, `run_pending` before `run_all`."""
    found = [
        one
        for one in owner.members
        if one.kind == "method" and not one.is_async and _RUNNING.fullmatch(one.name) and not one.needed
    ]
    return min(found, key=lambda one: one.name.endswith("_all"), default=None)


def _built(trial: Trial) -> Iterator[tuple[str, str]]:
    """Variables of a trial with the class whose object each of them is bound to."""
    tree = parse_or_none("\n".join(trial.arrange))
    for node in tree.body if tree is not None else ():
        bound = assigned_variable(node)
        if bound is not None and isinstance(bound[1], ast.Call):
            yield bound[0], last_name(bound[1].func)


def _registering(act: str, facts: ModuleFacts, job: str) -> str | None:
    """The act with a function of the test in place of the one that it is given; None where it is given none.

    Args:
        job: the function's name.
    """
    call = expression_or_none(act)
    if not isinstance(call, ast.Call):
        return None
    members = [one for one in facts.callables() if one.name == last_name(call.func) and one.owner is not None]
    at = next((place for place, given in enumerate(call.args) if _is_function(given)), None)
    if at is None or not members:
        return None
    passes_on = any(item.kind == "var_positional" for item in members[0].parameters)
    given = [*call.args[:at], ast.Name(job, ast.Load()), *([ast.Constant("milk")] if passes_on else [])]
    return ast.unparse(ast.Call(call.func, given, []))


def _is_function(node: ast.expr) -> bool:
    if isinstance(node, ast.Name):
        return callable(getattr(builtins, node.id, None))
    return isinstance(node, ast.Lambda)


def _due(program: _Program) -> Iterator[Scenario]:
    """Scenarios that run what is due before it is, and again when time has gone by."""
    trial = program.trial
    noted = "['milk']" if "'milk'" in "\n".join(trial.arrange) else "['job']"
    for move in _moves(trial, trial.arrange[-1]):
        moved = scenario_trial(trial, trial.subject, (*trial.arrange, trial.act, *move), trial.act)
        yield Scenario(moved, RUNS_DUE, _Noting(noted))


@dataclass(frozen=True, slots=True)
class _Noting:
    """The condition that a function of the test was called with what it notes, all in all."""

    calls: str

    def __call__(self, observation: Observation) -> bool:
        return observation.outcome == "returned" and noted_calls(observation) == self.calls


def _moves(stopped: Trial, told: str) -> Iterator[tuple[str, ...]]:
    """Statements that move a stopped clock by the numbers of a statement, in seconds, minutes, hours and days."""
    tree = parse_or_none(told)
    nodes = ast.walk(tree) if tree is not None else ()
    numbers = [one.value for one in nodes if isinstance(one, ast.Constant) and type(one.value) is int]
    amounts = list(dict.fromkeys(number for number in numbers if 0 < number <= 366)) or [1]
    for unit, seconds in _UNITS:
        for amount in amounts:
            yield moved(stopped, unit, amount, seconds)
    yield moved(stopped, "days", _WEEK, _UNITS[-1][1])


def moved(stopped: Trial, unit: str, amount: int, seconds: int) -> tuple[str, ...]:
    """Statements that move the clock of a trial on.

    Args:
        unit: as `timedelta` names it; `seconds` is its length.
    """
    now = next(text for text in stopped.arrange if text.startswith(f"{NOW} = "))
    if literal_or(now.removeprefix(f"{NOW} = "), None) is not None:
        return (f"{NOW} += {amount * seconds}",)
    again = [text for text in stopped.arrange if _MOVED.match(text)]
    return (f"{NOW} += datetime.timedelta({unit}={amount})", *again)


def _questions(program: _Program, facts: ModuleFacts) -> Iterator[Trial]:
    """Questions about the state of an object that a function is registered with, at a known time."""
    for one in program.owner.members:
        if one.name.startswith("_") or one.needed or one.is_async or changes_state(one):
            continue
        if one.kind in ("property", "method") and one.qualname != program.trial.subject:
            act = question(program.variable, one)
            statements = [text for text in program.trial.arrange if text != f"{CALLS} = []"]
            quiet = [text.replace(f"{CALLS}.append(name)", "return name") for text in statements]
            yield scenario_trial(program.trial, one.qualname, quiet, act)


def _expiring(known: Scenario, clock: Clock) -> Iterator[Scenario]:
    """Scenarios of a remembered result that is computed again when time has gone by."""
    call = expression_or_none(known.trial.act)
    if not isinstance(call, ast.List):
        return
    act = ast.unparse(call.elts[0])
    stopped = clock.stopped_trial(scenario_trial(known.trial, known.trial.subject, known.trial.arrange, act))
    if stopped is None:
        return
    for move in _moves(stopped, _numbers_of(clock.facts, known.trial)):
        again = scenario_trial(stopped, stopped.subject, (*stopped.arrange, act, *move), act)
        yield Scenario(again, EXPIRES, _called_twice)


def _numbers_of(facts: ModuleFacts, trial: Trial) -> str:
    """The numbers that what a trial is about is given, and its default ones, as the source of a list."""
    subject = next((one for one in facts.callables() if one.qualname == trial.subject), None)
    defaults = [one.default for one in subject.parameters if one.default] if subject is not None else []
    tree = parse_or_none(
        "\n".join(text.partition("\n")[0] for text in trial.arrange if text.startswith("@")).lstrip("@")
    )
    given = [ast.unparse(one) for one in ast.walk(tree) if isinstance(one, ast.Constant)] if tree is not None else []
    return f"[{', '.join((*given, *defaults))}]"


def _called_twice(observation: Observation) -> bool:
    noted = expression_or_none(noted_calls(observation))
    return observation.outcome == "returned" and isinstance(noted, ast.List) and len(noted.elts) == 2


def _later(records: Sequence[TrialRecord]) -> Iterator[Scenario]:
    """Scenarios of an object that answers otherwise when time has gone by since it was made."""
    counts: dict[str, int] = {}
    for record in records:
        trial, answer = record.trial, returned_source(record.observation)
        if not _is_stopped(trial) or not answer or counts.get(trial.subject, 0) >= _MOST_EACH or trial.mode != "call":
            continue
        built = next(
            ((one, text) for text in trial.arrange for one in _bound(text) if one in names_of_act(trial)), None
        )
        if built is None or any(text.startswith(f"{NOW} += ") for text in trial.arrange):
            continue
        counts[trial.subject] = counts.get(trial.subject, 0) + 1
        for move in _moves(trial, built[1]):
            made = scenario_trial(trial, trial.subject, (*trial.arrange, *move), trial.act)
            yield Scenario(made, LATER, _Otherwise(answer))


def _bound(statement: str) -> Iterator[str]:
    tree = parse_or_none(statement)
    bound = assigned_variable(tree.body[0]) if tree is not None and tree.body else None
    if bound is not None and bound[0] != NOW and isinstance(bound[1], ast.Call):
        yield bound[0]


def names_of_act(trial: Trial) -> set[str]:
    """Names that a trial's act reads."""
    node = expression_or_none(trial.act)
    return names_of(node) if node is not None else set()


@dataclass(frozen=True, slots=True)
class _Otherwise:
    """The condition that an act returned something else than before."""

    answer: str

    def __call__(self, observation: Observation) -> bool:
        source = returned_source(observation)
        return bool(source) and source != self.answer
