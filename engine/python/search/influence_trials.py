"""Proposes calls that show what an argument is for: pairs of calls that differ in it alone, and in their outcome.

For numbers where no two calls so far are such a pair, and for each option, which is compared with its default.
"""

from __future__ import annotations

import ast
import copy
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ....utils.python_names import last_name, names_of
from ....utils.python_source import expression_or_none, parse_expression
from ..domain.membership import count_outside
from ..model.model import RICH_SOURCES, CallableFacts, ModuleFacts, Trial
from .parallel_observers import Watcher, run_trials
from .trial_search import TrialRecord, TrialSearch, behaviour_of

# Counts, percentages, sizes.
_LADDER = ("1", "2", "3", "5", "10", "20", "50", "75", "100", "1000")
_SHARES = ("0.25", "0.5", "0.9", "1.5", "10.0")
_MOST_BASES = 3
_MOST_TRIALS = 200
_MOST_VALUES = 4
_PLAIN_RESULTS = frozenset({"None", "''", "b''", "[]", "()", "{}", "set()", "0", "True", "False"})
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(slots=True)
class _Place:
    """One argument of calls that are otherwise alike: what was observed for its values, and the first such call."""

    outcomes: set[str] = field(default_factory=set)
    base: TrialRecord | None = None


class Distinction:
    """Key of the notes of records that show what no other row shows; the value says what: the place of a number or the
    name of an option that made a difference, or that the call undoes another one.
    """


class Control:
    """Key of the notes of records that show an option or a number; the value is the number of the record that it is
    compared with: the same call without the option, or with another number.
    """


async def show_influence(facts: ModuleFacts, search: TrialSearch, observer: Watcher) -> None:
    """Marks calls that show what a number or an option is for; runs variants where no call so far does."""
    options = option_trials(search.records, facts)
    bases = [*influence_trials(search.records), *options]
    found = await run_trials([trial for _, _, trials in bases for trial in trials][:_MOST_TRIALS], search, observer)
    for base, name, trials in bases:
        records = [found[trial] for trial in trials if trial in found]
        telling = [one for one in records if one.observation.outcome == "returned" and _outcome(one) != _outcome(base)]
        for record in telling[:1]:
            record.notes.setdefault(Distinction, name)
            record.notes.setdefault(Control, base.number)


def option_trials(records: Sequence[TrialRecord], facts: ModuleFacts) -> list[tuple[TrialRecord, str, list[Trial]]]:
    """Marks the calls on which an option has an effect; returns plain calls without it, and variants with it."""
    by_subject: dict[str, list[TrialRecord]] = defaultdict(list)
    for record in records:
        if record.observation.outcome == "returned" and not (record.seen.random or record.time_dependent):
            by_subject[record.trial.subject].append(record)
    wanted: list[tuple[TrialRecord, str, list[Trial]]] = []
    for one in facts.callables():
        options = _options_of(one)
        if not one.public or not options or not by_subject[one.qualname]:
            continue
        calls = [(record, call) for record in by_subject[one.qualname] if (call := _call_of(record, one)) is not None]
        known = {_situation(record, call): record for record, call in reversed(calls)}
        for option in options:
            showing = [
                pair for pair in calls if (control := _control(*pair, option, known)) and _differ(pair[0], control)
            ]
            showing.sort(key=lambda pair: _showing_little(*pair))
            # The plainest, and what documents and usage show: those are chosen for other reasons, too.
            for at, (record, call) in enumerate(showing):
                if at == 0 or record.trial.source in RICH_SOURCES:
                    record.notes.setdefault(Distinction, f"option {option.name}")
                    control = _control(record, call, option, known)
                    if control is not None:
                        record.notes.setdefault(Control, control.number)
            proposed = _option_trials(calls, option, facts)
            if showing:  # the plainest call that a person wrote may not have been tried with it
                proposed = [one for one in proposed[:1] if one[0].trial.source in RICH_SOURCES]
            wanted += proposed[:_MOST_BASES]
    return wanted


@dataclass(frozen=True, slots=True)
class _Option:
    """A parameter with a default; `position` among the arguments of a call, None where it is passed by name only."""

    name: str
    position: int | None

    def value(self, call: ast.Call) -> ast.expr | None:
        """What a call passes for it; None where it passes nothing."""
        if self.position is not None and self.position < len(call.args):
            return call.args[self.position]
        return next((keyword.value for keyword in call.keywords if keyword.arg == self.name), None)

    def without(self, call: ast.Call) -> ast.Call | None:
        """The call without it; None where a later positional argument needs it."""
        if self.position is not None and self.position < len(call.args):
            is_last = self.position == len(call.args) - 1
            return ast.Call(call.func, call.args[:-1], call.keywords) if is_last else None
        return ast.Call(call.func, call.args, [one for one in call.keywords if one.arg != self.name])


def _options_of(one: CallableFacts) -> list[_Option]:
    bound = one.kind in ("method", "classmethod", "constructor")
    own = [item for item in one.parameters if not (bound and item.name in ("self", "cls"))]
    return [
        _Option(item.name, at if item.kind in ("positional_only", "positional_or_keyword") else None)
        for at, item in enumerate(own)
        if not item.required and item.default is not None and not item.name.startswith("_")
    ]


def _call_of(record: TrialRecord, one: CallableFacts) -> ast.Call | None:
    """The act where it is a call of the callable itself."""
    call = expression_or_none(record.trial.act)
    name = one.owner if one.kind == "constructor" else one.name
    if not isinstance(call, ast.Call) or last_name(call.func) != name:
        return None
    return None if any(isinstance(value, ast.Starred) for value in call.args) else call


def _situation(record: TrialRecord, call: ast.Call) -> tuple[object, ...]:
    return record.trial.mode, record.trial.arrange, ast.unparse(call)


def _control(
    record: TrialRecord, call: ast.Call, option: _Option, known: Mapping[tuple[object, ...], TrialRecord]
) -> TrialRecord | None:
    """The record of the same call without an option that it passes; None where none was tried."""
    without = option.without(call) if option.value(call) is not None else None
    return known.get(_situation(record, without)) if without is not None else None


def _differ(left: TrialRecord, right: TrialRecord) -> bool:
    return _outcome(left) != _outcome(right)


def _option_trials(
    calls: Sequence[tuple[TrialRecord, ast.Call]], option: _Option, facts: ModuleFacts
) -> list[tuple[TrialRecord, str, list[Trial]]]:
    """Returns calls without an option, and the same with values that were passed elsewhere."""
    distinct: dict[str, tuple[ast.expr, TrialRecord]] = {}
    for record, call in calls:
        value = option.value(call)
        arranged = {word for text in record.trial.arrange for word in _NAME.findall(text)}
        if value is not None and not count_outside(record.trial, facts) and not names_of(value) & arranged:
            distinct.setdefault(ast.unparse(value), (value, record))
    bases = [
        (record, call)
        for record, call in calls
        if option.value(call) is None and not count_outside(record.trial, facts)
    ]
    bases.sort(key=lambda pair: _showing_little(*pair))
    found: list[tuple[TrialRecord, str, list[Trial]]] = []
    for record, call in bases if distinct else ():
        trials = [
            replace(
                record.trial,
                act=ast.unparse(ast.Call(call.func, call.args, [*call.keywords, ast.keyword(option.name, value)])),
                imports=tuple(sorted({*record.trial.imports, *(other.trial.imports if names_of(value) else ())})),
                source="mutation",
                wanted=None,
                wanted_line=0,
            )
            for value, other in list(distinct.values())[:_MOST_VALUES]
        ]
        found.append((record, f"option {option.name}", trials))
    return found


def _showing_little(record: TrialRecord, call: ast.Call) -> tuple[object, ...]:
    """Orders calls without an option: those that a person wrote, whose result is not what was given, the shortest."""
    value = record.observation.value
    result = (value.source if value is not None else None) or ""
    plain = result in _PLAIN_RESULTS or any(ast.unparse(item) == result for _, item in _arguments(call))
    return record.trial.source not in RICH_SOURCES, plain, len(call.keywords), len(record.trial.act), record.number


def influence_trials(records: Sequence[TrialRecord]) -> list[tuple[TrialRecord, str, list[Trial]]]:
    """Returns calls, the place of an argument that made no difference yet, and variants with other numbers there."""
    places: dict[tuple[object, ...], _Place] = defaultdict(_Place)
    for record in records:
        if record.observation.outcome != "returned" or record.seen.random or record.time_dependent:
            continue
        for name, around in _numbers(record.trial):
            place = places[record.trial.subject, name, record.trial.mode, record.trial.arrange, around]
            place.outcomes.add(_outcome(record))
            place.base = place.base or record
    influential = {key[:2] for key, place in places.items() if len(place.outcomes) > 1}
    bases: dict[tuple[object, ...], list[TrialRecord]] = defaultdict(list)
    for key, place in places.items():
        if key[:2] not in influential and place.base is not None:
            bases[key[:2]].append(place.base)
    return [
        (record, str(name), list(_with_numbers(record.trial, str(name))))
        for (_, name), known in bases.items()
        for record in sorted(known, key=lambda one: (-len(one.arcs), one.number))[:_MOST_BASES]
    ]


def _outcome(record: TrialRecord) -> str:
    value = record.observation.value
    return repr((behaviour_of(record.observation), value and value.source, record.observation.effects))


def _arguments(call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    yield from ((str(at), value) for at, value in enumerate(call.args))
    yield from ((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg is not None)


def _numbers(trial: Trial) -> Iterator[tuple[str, str]]:
    """Generates the place of each number that is an argument of the act's call, with the call around it."""
    call = expression_or_none(trial.act)
    if not isinstance(call, ast.Call) or any(isinstance(value, ast.Starred) for value in call.args):
        return
    for name, value in _arguments(call):
        if _is_number(value):
            yield name, ast.unparse(_replaced(call, name, ast.Name("_")))


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _replaced(call: ast.Call, name: str, value: ast.expr) -> ast.Call:
    changed = copy.deepcopy(call)
    if name.isdigit():
        changed.args[int(name)] = value
    else:
        next(keyword for keyword in changed.keywords if keyword.arg == name).value = value
    return changed


def _with_numbers(trial: Trial, name: str) -> Iterator[Trial]:
    call = expression_or_none(trial.act)
    assert isinstance(call, ast.Call)  # `_numbers` found the place in it
    value = dict(_arguments(call))[name]
    for number in _SHARES if isinstance(value, ast.Constant) and isinstance(value.value, float) else _LADDER:
        act = ast.unparse(_replaced(call, name, parse_expression(number)))
        if act != trial.act:
            yield replace(trial, act=act, source="mutation", wanted=None, wanted_line=0)
