"""Finds trials that pass an argument without effect: the same call without it was tried and had the same outcome.

An option of the object that the call goes to counts as well.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import lru_cache

from ....utils.python_names import assigned_variable, names_of
from ....utils.python_source import expression_or_none, parse_or_none
from ..inputs.variations import ORDER_PROMISED
from ..model.model import Observation
from ..search.trial_search import TrialRecord
from ..source.shown_calls import shown_calls

_Key = tuple[str, str, tuple[str, ...], str]


# That data is sorted changes no answer, only the way to it; of no or one item nobody says that.
_PROMISED_OF_SEVERAL = re.compile(rf"[\[(][^\[\]]+,[^\[\]]+[\])].*{ORDER_PROMISED.pattern}")


def idle_records(records: Sequence[TrialRecord]) -> frozenset[int]:
    """Returns the numbers of records whose call has an argument without effect.

    A call that raises is told apart by its exception and message. Documented examples stand as they are written.
    """
    outcomes = {
        _key(record, record.trial.act, record.trial.arrange): outcome_of(record.observation)
        for record in reversed(records)
    }
    found: set[int] = set()
    for record in records:
        if record.trial.wanted is not None or _PROMISED_OF_SEVERAL.search(record.trial.act):
            continue
        trial = record.trial
        shorter = [(act, trial.arrange) for act in _shorter_acts(trial.act)]
        if trial.source != "sequence":  # what was done with an object since is the point there, not its options
            shorter += [(trial.act, arrange) for arrange in _with_fewer_options(trial.arrange, trial.act)]
        mine = outcome_of(record.observation) if shorter else None
        if any(outcomes.get(_key(record, *one)) == mine for one in shorter):
            found.add(record.number)
    return frozenset(found)


def _key(record: TrialRecord, act: str, arrange: tuple[str, ...]) -> _Key:
    return record.trial.subject, record.trial.mode, arrange, _normal(act)


@lru_cache(maxsize=16384)
def _normal(act: str) -> str:
    tree = expression_or_none(act)
    return ast.unparse(tree) if tree is not None else act


def outcome_of(observation: Observation) -> tuple[object, ...]:
    """Returns what is comparable of an outcome: the exception, the value, effects, output and warnings."""
    raised, value = observation.raised, observation.value
    return (
        (raised.type_name, raised.message) if raised is not None else None,
        (value.type_name, value.source, value.attributes, value.length) if value is not None else None,
        observation.effects,
        observation.output,
        observation.errors,
        observation.warnings,
    )


@lru_cache(maxsize=16384)
def _shorter_acts(act: str) -> tuple[str, ...]:
    """The act without one keyword argument, or without the last positional one of several, normalized.

    Of `repr(url.normalize(path=False))` and `url.normalize(path=False).to_text()` it is the inner call that has any.
    """
    *_, call = (None, *shown_calls(expression_or_none(act)))
    if call is None:
        return ()
    found = _without_keywords(call)
    if len(call.args) > 1 and not any(isinstance(argument, ast.Starred) for argument in call.args):
        found.append(ast.unparse(ast.Call(call.func, call.args[:-1], call.keywords)))
    whole, inner = _normal(act), ast.unparse(call)
    return tuple(whole.replace(inner, one, 1) for one in found)


@lru_cache(maxsize=16384)
def _with_fewer_options(arrange: tuple[str, ...], act: str) -> tuple[tuple[str, ...], ...]:
    """The statements without one keyword argument of the call that makes the act's object."""
    tree = expression_or_none(act)
    names = names_of(tree) if tree is not None else set[str]()
    found: list[tuple[str, ...]] = []
    for at, text in enumerate(arrange):
        parsed = parse_or_none(text)
        bound = assigned_variable(parsed.body[0]) if parsed is not None and len(parsed.body) == 1 else None
        if bound is None or bound[0] not in names or not isinstance(bound[1], ast.Call):
            continue
        found += [(*arrange[:at], f"{bound[0]} = {made}", *arrange[at + 1 :]) for made in _without_keywords(bound[1])]
    return tuple(found)


def _without_keywords(call: ast.Call) -> list[str]:
    """A call without each of its keyword arguments in turn."""
    return [
        ast.unparse(ast.Call(call.func, call.args, [other for other in call.keywords if other is not keyword]))
        for keyword in call.keywords
        if keyword.arg is not None
    ]
