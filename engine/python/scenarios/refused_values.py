"""Passes values of other kinds where no call so far was refused: `to_set([[1, 2], [3, 4]])`, `to_number("twelve")`.

A `raise` in a handler, or after a check of types, is reached with values that the parameter's domain leaves out. Only
calls that the code refuses there are learned: what it does with other misuse is no behaviour.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence

from ....utils.python_source import expression_or_none, parse_expression
from ..model.model import CallableFacts, ModuleFacts, Trial
from ..search.parallel_observers import Watcher
from ..search.trial_mutation import with_act
from ..search.trial_search import TrialRecord, TrialSearch

_MOST_BASES = 2
_MOST_TRIALS = 150
_TEXTS = ("'hello world'", "''", "5", "None")
_NUMBERS = ("'twelve'", "None", "-1")
_ITEMS = ("[[1, 2], [3, 4]]", "5", "'hello world'", "None")
_OTHERS = ("5", "'hello world'", "[1, 2, 3]", "None")


async def show_refused_values(facts: ModuleFacts, search: TrialSearch, observer: Watcher) -> None:
    """Runs calls with values of other kinds; learns the first that each `raise` not reached yet refuses."""
    found: list[tuple[frozenset[int], Trial]] = []
    for one in facts.callables():
        lines = unreached_raises(search.records, one)
        if lines:
            found += [(lines, trial) for trial in refusable_trials(search.records, one) if search.is_new(trial)]
    found = found[:_MOST_TRIALS]
    answers = await observer.watch([trial for _, trial in found])
    shown: set[int] = set()
    for (lines, trial), seen in zip(found, answers, strict=True):
        raised = seen.observation.raised
        if raised is not None and raised.line in lines - shown:
            search.learn(trial, seen)
            shown.add(raised.line)


def unreached_raises(records: Sequence[TrialRecord], one: CallableFacts) -> frozenset[int]:
    """Lines of a public callable's `raise` statements at which no trial so far ended."""
    ended = {record.observation.raised.line for record in records if record.observation.raised is not None}
    return frozenset(site.line for site in one.raises if one.public) - ended


def refusable_trials(records: Sequence[TrialRecord], one: CallableFacts) -> Iterator[Trial]:
    """Generates the plainest calls of a callable that returned, each with one argument of another kind."""
    name = one.owner if one.kind == "constructor" else one.name
    calls: list[tuple[Trial, ast.Call]] = []
    for record in records:
        trial = record.trial
        if trial.subject != one.qualname or trial.mode != "call" or record.observation.outcome != "returned":
            continue
        act = expression_or_none(trial.act)
        if isinstance(act, ast.Call) and _is_plain(act, name):
            calls.append((trial, act))
    calls.sort(key=lambda pair: (len(pair[0].arrange), len(pair[0].act)))
    for trial, call in calls[:_MOST_BASES]:
        for at, value in enumerate(call.args):
            for source in _unlike(value):
                changed = copy.deepcopy(call)
                changed.args[at] = parse_expression(source)
                yield with_act(trial, ast.unparse(changed))


def _is_plain(call: ast.Call, name: str | None) -> bool:
    """Whether a call is one of a name or of an object's method, without starred arguments."""
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return (called == name or name == "__call__") and not any(isinstance(one, ast.Starred) for one in call.args)


def _unlike(value: ast.expr) -> tuple[str, ...]:
    """Sources of values of other kinds than an argument."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return tuple(one for one in _TEXTS if one != repr(value.value))
    if isinstance(value, ast.Constant) and isinstance(value.value, int | float):
        return _NUMBERS
    return _ITEMS if isinstance(value, ast.List | ast.Tuple | ast.Set) else _OTHERS
