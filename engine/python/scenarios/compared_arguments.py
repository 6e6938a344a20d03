"""Shows what a callable makes of two arguments that play the same part: `distance(first, second)`, `common(*texts)`.

Beside two that have something in common, a reader looks for two that are equal and two that have nothing in common,
and where any number of them may be passed, for three.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ....utils.python_source import literal_or, parse_expression, shared_expression
from ..domain.example_tables import WORDS
from ..domain.membership import count_outside
from ..model.model import RICH_SOURCES, CallableFacts, ModuleFacts, Trial
from ..search.influence_trials import Distinction
from ..search.parallel_observers import Watcher, run_trials
from ..search.trial_search import TrialRecord, TrialSearch
from ..source.counterparts import common_parts, takes_counterparts
from .scenario import asked_otherwise, is_plain_return, returned_source, situation_of

EQUAL, APART, THREE = "equal arguments", "nothing in common", "three arguments"
COMPARED = frozenset({EQUAL, APART, THREE})
"""What a call shows that no usual one does."""
_FEWEST_PARTS = 2
_WORDS = (
    *("ox", "up", "sky", "bed", "ink", "lot", "word", "milk", "fuse", "brown", "light", "jumpy", "string", "violet"),
    *("harbor", "trouble", "kingdom", "daylight", "software"),
)
_FEWEST_SHARED = 3


async def show_compared_arguments(facts: ModuleFacts, search: TrialSearch, observer: Watcher) -> None:
    """Runs calls with such arguments, and marks those whose answer is another one than that of the usual call."""
    known = {situation_of(one.trial): one for one in reversed(search.records)}
    for one in facts.callables():
        base = _base(search.records, one) if one.public and not one.is_async else None
        if base is None:
            continue
        wanted = {name: trial for name, trial in _trials(base) if not count_outside(trial, facts)}
        proposed = [trial for trial in wanted.values() if search.is_new(trial)]
        ran = await run_trials(proposed, search, observer)
        answers = {returned_source(base.record.observation)}
        for name, trial in wanted.items():
            record = ran.get(trial) or known.get(situation_of(trial))
            answer = returned_source(record.observation) if record is not None and is_plain_return(record) else ""
            # That two with nothing in common do not match says less than two that nearly do.
            if record is None or (name == APART and answer in ("True", "False")):
                continue
            if answer and answer not in answers:
                answers.add(answer)
                record.notes.setdefault(Distinction, name)


@dataclass(frozen=True, slots=True)
class _Base:
    """A usual call with two such arguments.

    Attributes:
        call: its syntax; the two are all that it passes.
        values: the two.
        many: whether more of them may be passed.
    """

    record: TrialRecord
    call: ast.Call
    values: tuple[Any, Any]
    many: bool

    def passing(self, *values: Any) -> Trial:
        """The trial with other values."""
        args = [parse_expression(repr(one)) for one in values]
        act = ast.unparse(ast.Call(self.call.func, args, []))
        return asked_otherwise(self.record.trial, act)


def _base(records: Sequence[TrialRecord], one: CallableFacts) -> _Base | None:
    """The usual call that a person wrote, else the one with the fewest options of its object; None for none."""
    found = [base for record in records if record.trial.subject == one.qualname and (base := _usual(record, one))]

    def rank(base: _Base) -> tuple[bool, int]:
        trial = base.record.trial
        return trial.source not in RICH_SOURCES, len("".join(trial.arrange))

    return min(found, key=rank, default=None)


def _usual(record: TrialRecord, one: CallableFacts) -> _Base | None:
    call = shared_expression(record.trial.act)
    if not is_plain_return(record) or record.seen.random or not isinstance(call, ast.Call) or call.keywords:
        return None
    called = call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)
    # An object that is called has a name of the test's.
    if len(call.args) != 2 or (called != one.name and one.name != "__call__"):
        return None
    first, second = (literal_or(item, None) for item in call.args)
    if not takes_counterparts(one) or first == second or not common_parts(first, second):
        return None
    if _joins(literal_or(returned_source(record.observation), None), first, second):
        return None
    many = any(item.kind == "var_positional" for item in one.parameters)
    return _Base(record, call, (first, second), many) if min(len(first), len(second)) >= _FEWEST_PARTS else None


def _joins(answer: Any, first: Any, second: Any) -> bool:
    """Whether an answer is put together of both arguments: nothing of them is compared then."""
    if isinstance(answer, str) and isinstance(first, str):
        return first in answer and second in answer
    return isinstance(answer, list | tuple) and len(answer) == len(first) + len(second)


def _trials(base: _Base) -> Iterator[tuple[str, Trial]]:
    first, second = base.values
    if base.many and (third := _sharing(first, second)):
        yield THREE, base.passing(first, second, third)
    other = _apart(first, len(second) if len(first) == len(second) else 0)
    if other:
        yield APART, base.passing(first, other)
    yield EQUAL, base.passing(first, first)


def _sharing(first: Any, second: Any) -> Any:
    """A third value that has something in common with both; nothing where none is at hand."""
    if isinstance(first, str):
        alike = list(itertools.takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
        if len(alike) >= _FEWEST_SHARED:
            return first[: len(alike) + 1]
        shared = set(first) & set(second)
        words = (one for one in WORDS if one not in (first, second) and len(shared & set(one)) >= _FEWEST_SHARED)
        return next(words, "")
    beside = [item for item in second if item in first][1:]
    return type(second)([*beside, *_others({*first, *second}, 1, second[0])]) if beside else None


def _apart(first: Any, length: int) -> Any:
    """A value of the same kind that has nothing in common with another one; `length`: 0 for any."""
    if isinstance(first, str):
        if not first.isalpha() or not first.isascii():
            return ""
        words = [one for one in _WORDS if (len(one) == length if length else len(one) > 2)]
        lower = next((one for one in words if not set(one) & set(first.lower())), "")
        return lower.upper() if first.isupper() else lower
    return type(first)(_others(set(first), length or _FEWEST_PARTS, first[0]))


def _others(taken: set[Any], count: int, like: Any) -> list[Any]:
    """Items that are not taken: the first whole numbers, or words."""
    source = itertools.count(1) if isinstance(like, int) else iter(_WORDS)
    return list(itertools.islice((one for one in source if one not in taken), count))
