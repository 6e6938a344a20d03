"""Shows what holds of a result that chance decides, whatever was drawn: a permutation, members, a size, a range.

Which item a seed draws is an accident of Python's version. A call draws where another seed changes its result.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ....utils.python_source import expression_or_none, literal_or
from ..model.model import CallableFacts, ModuleFacts, Observation, Trial
from ..search.parallel_observers import Watcher, run_trials
from ..search.trial_search import TrialRecord, TrialSearch
from ..source.titles import arguments_of
from .scenario import Scenario, is_plain_return, returned_source, scenario_trial, show_scenarios

_SEEDED = re.compile(r"\b(random\.seed|(?:random\.)?Random)\((\d+)\)|\b(seed=)(\d+)\b")
_OTHER_SEEDS = tuple(map(str, range(2, 10)))
_PLAIN = re.compile(r"[\w .-]{1,20}")
_MOST_EACH = 6
_LONGEST = 70
FIRST_DRAW = "first_draw"
_CHOSEN_SEED = "7"
_NOTHING = object()


class DrawnByChance:
    """Key of the notes of records whose result another seed changes."""


def is_seeded(trial: Trial) -> bool:
    """Whether a trial decides by a seed what is drawn."""
    return any(map(is_seeded_text, (*trial.arrange, trial.act)))


def is_seeded_text(text: str) -> bool:
    """Whether source text sets a seed."""
    return _SEEDED.search(text) is not None


async def show_draws(facts: ModuleFacts, search: TrialSearch, observer: Watcher) -> None:
    """Finds the calls that draw, marks their records, and shows what holds of their results whatever is drawn."""
    await run_trials([one for one in _with_seeds(search.records, facts) if search.is_new(one)], search, observer)
    seeded = _seeded_records(search.records)
    reseeded = [_reseeded(record.trial, seed) for record in seeded for seed in _OTHER_SEEDS]
    answers = iter(await observer.watch(reseeded))
    scenarios: list[Scenario] = []
    callables = {one.qualname: one for one in facts.callables()}
    for record in seeded:
        others = [next(answers).observation for _ in _OTHER_SEEDS]
        sources = [returned_source(one) for one in (record.observation, *others)]
        if len(set(sources)) > 1:
            record.notes[DrawnByChance] = True
            subject = callables.get(record.trial.subject)
            if subject is not None and all(sources):
                scenarios += _scenarios(record.trial, subject, [literal_or(source, _NOTHING) for source in sources])
    await show_scenarios(scenarios, search, observer)


def _with_seeds(records: Sequence[TrialRecord], facts: ModuleFacts) -> Iterator[Trial]:
    """Calls of what takes an optional seed, with one."""
    taking = {one.qualname for one in facts.callables() if any(_is_seed(item.name) for item in one.parameters)}
    counts: dict[str, int] = {}
    for record in records if taking else ():
        trial = record.trial
        call = expression_or_none(trial.act)
        if trial.subject not in taking or record.observation.outcome != "returned" or counts.get(trial.subject, 0) > 3:
            continue
        if isinstance(call, ast.Call) and not is_seeded(trial):
            counts[trial.subject] = counts.get(trial.subject, 0) + 1
            call.keywords = [*call.keywords, ast.keyword("seed", ast.Constant(int(_CHOSEN_SEED)))]
            yield scenario_trial(trial, trial.subject, trial.arrange, ast.unparse(call))


def _is_seed(name: str) -> bool:
    return name == "seed"


def _seeded_records(records: Sequence[TrialRecord]) -> list[TrialRecord]:
    """A few calls of each callable that a seed decides: those with the most in their results, and given most, first."""
    found: dict[str, list[TrialRecord]] = {}
    for record in records:
        if not is_plain_return(record) or not is_seeded(record.trial) or not _is_readable(record.trial.act):
            continue
        if returned_source(record.observation):
            found.setdefault(record.trial.subject, []).append(record)
    chosen: list[TrialRecord] = []
    for own in found.values():
        chosen += sorted(own, key=lambda one: (-_size(one), -len(one.trial.act), one.number))[:_MOST_EACH]
    return chosen


def _is_readable(act: str) -> bool:
    """Whether an act is short and has only plain words in it: any input shows what holds of all draws."""
    node = expression_or_none(act)
    texts = (
        [one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        if node
        else []
    )
    return len(act) <= _LONGEST and all(_PLAIN.fullmatch(text) for text in texts)


def _size(record: TrialRecord) -> int:
    value = record.observation.value
    return min(value.length or 0, 4) if value is not None else 0


def _reseeded(trial: Trial, seed: str) -> Trial:
    def other(text: str) -> str:
        return _SEEDED.sub(lambda found: f"{found[1]}({seed})" if found[1] else f"{found[3]}{seed}", text)

    return replace(trial, arrange=tuple(map(other, trial.arrange)), act=other(trial.act))


@dataclass(frozen=True, slots=True)
class _Given:
    """An argument of a call, or the default in its place: its source, its value, and whether the call passes it."""

    source: str
    value: Any
    node: ast.expr | None


def _scenarios(trial: Trial, subject: CallableFacts, drawn: Sequence[Any]) -> Iterator[Scenario]:
    """Scenarios of what holds of all results that were drawn."""
    given = list(_given(trial, subject))
    properties = list(_properties(trial.act, given, drawn))
    for shows, act, expected in properties:
        yield Scenario(scenario_trial(trial, trial.subject, trial.arrange, act), shows, _Returning(expected))
    if "random.seed(" not in "\n".join(trial.arrange) and _SEEDED.search(trial.act):
        arrange = (*trial.arrange, f"{FIRST_DRAW} = {trial.act}")
        again = scenario_trial(trial, trial.subject, arrange, f"{trial.act} == {FIRST_DRAW}")
        yield Scenario(again, "repeats", _Returning("True"))


@dataclass(frozen=True, slots=True)
class _Returning:
    """The condition that an act returned something."""

    source: str

    def __call__(self, observation: Observation) -> bool:
        return returned_source(observation) == self.source


def _given(trial: Trial, subject: CallableFacts) -> Iterator[_Given]:
    passed = {one.name: one.node for one in arguments_of(trial.act, subject)}
    for parameter in subject.parameters:
        node = passed.get(parameter.name)
        source = ast.unparse(node) if node is not None else parameter.default or ""
        value = literal_or(source, _NOTHING)
        if value is not _NOTHING and not _is_seed(parameter.name):
            yield _Given(source, value, node)


def _properties(act: str, given: Sequence[_Given], drawn: Sequence[Any]) -> Iterator[tuple[str, str, str]]:
    """What holds of all results: what that shows, the expression that says so, and its value."""
    collections = [one for one in given if isinstance(one.value, list | tuple | str | dict) and len(one.value) > 1]
    numbers = [one for one in given if type(one.value) in (int, float)]
    several = all(isinstance(result, list | tuple | str) for result in drawn)
    for one in collections:
        items = list(one.value)
        if not isinstance(one.value, str) and all(_is_in(result, items) for result in drawn):
            yield "member", f"{act} in {one.source}", "True"
            return
        if several and all(_sorted(result) == _sorted(items) != [] for result in drawn):
            yield "permutation", f"sorted({act})", repr(_sorted(items))
            return
        if several and all(result and all(item in items for item in result) for result in drawn):
            yield "members", f"set({act}) <= {_as_set(one)}", "True"
    if several and len({len(result) for result in drawn}) == 1 and len(drawn[0]) in [one.value for one in numbers]:
        yield "size", f"len({act})", str(len(drawn[0]))
    yield from _ranges(act, numbers, drawn, several=several)


def _as_set(given: _Given) -> str:
    """The members of an argument as a set, as source."""
    node = given.node
    if isinstance(node, ast.List | ast.Tuple) and all(isinstance(item, ast.Constant) for item in node.elts):
        return ast.unparse(ast.Set(node.elts))
    return f"set({given.source})"


def _ranges(
    act: str, numbers: Sequence[_Given], drawn: Sequence[Any], *, several: bool
) -> Iterator[tuple[str, str, str]]:
    items = [item for result in drawn for item in (result if several else [result])]
    if not items or not all(type(item) in (int, float) for item in items):
        return
    bounds = [one.value for one in numbers]
    highest = min((one for one in bounds if one >= max(items)), default=None)
    lowest = max((one for one in (0, 1, *bounds) if one <= min(items) and one != highest), default=None)
    if highest is None or lowest is None:
        return
    inside = f"{lowest} <= number <= {highest}"
    if several:
        yield "range", f"all({inside} for number in {act})", "True"
    else:
        yield "range", inside.replace("number", act), "True"


def _is_in(result: Any, items: Sequence[Any]) -> bool:
    return any(type(result) is type(item) and result == item for item in items)


def _sorted(items: Any) -> list[Any]:
    try:
        return sorted(items)
    except TypeError:
        return []
