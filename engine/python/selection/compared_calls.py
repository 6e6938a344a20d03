"""Compares the calls of one class with each other: misuse that an empty object lets pass, calls that show no method."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ....utils.python_source import expression_or_none, parse_or_none
from ..model.model import Observation, Trial
from ..search.trial_search import TrialRecord

_OF_THE_WRONG_TYPE = frozenset({"TypeError", "AttributeError"})
_Call = tuple[str, str]
"""A callable, and the arguments of a call of it."""


class _CallOnObject:
    """Key of the notes of records: the object's variable and the arguments of a method's call; () for other acts."""


def misuses_of_empty_objects(records: Sequence[TrialRecord]) -> frozenset[int]:
    """Numbers of the records that return only because their object holds nothing.

    With the same arguments the method raises a TypeError or an AttributeError on another object: `tree.overlap(6)`,
    which wants an interval and looks at it where there is something to compare it with.
    """
    refused = {
        call
        for record, call in _calls(records)
        if record.observation.raised is not None and record.observation.raised.type_name in _OF_THE_WRONG_TYPE
    }
    return frozenset(
        record.number
        for record, call in _calls(records)
        if call in refused and record.observation.outcome == "returned" and _is_made_of_nothing(record.trial)
    )


def interchangeable_calls(records: Sequence[TrialRecord]) -> frozenset[int]:
    """Numbers of the records whose outcome another method of the class has for the same object and arguments.

    The union of what shares nothing is its symmetric difference: such a call does not show which one it is.
    """
    found: dict[tuple[str, tuple[str, ...], str, str], list[TrialRecord]] = {}
    for record, (subject, given) in _calls(records):
        outcome = _outcome(record.observation)
        if given and outcome:
            owner = subject.rpartition(".")[0]
            found.setdefault((owner, record.trial.arrange, given, outcome), []).append(record)
    return frozenset(
        record.number
        for alike in found.values()
        if len({record.trial.subject for record in alike}) > 1
        for record in alike
    )


def _calls(records: Sequence[TrialRecord]) -> Iterator[tuple[TrialRecord, _Call]]:
    """The records whose act is a call of the method under test on a variable, with the source of its arguments."""
    for record in records:
        given = record.notes.get(_CallOnObject)
        if given is None:
            given = record.notes[_CallOnObject] = _arguments(record.trial)
        if isinstance(given, str):
            yield record, (record.trial.subject, given)


def _arguments(trial: Trial) -> str | bool:
    """The arguments as source text; False where the act is no call of the method under test on a variable."""
    call = expression_or_none(trial.act)
    owner, _, member = trial.subject.rpartition(".")
    if not owner or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    if call.func.attr != member or not isinstance(call.func.value, ast.Name):
        return False
    return ", ".join([*map(ast.unparse, call.args), *(ast.unparse(one) for one in call.keywords)])


def _is_made_of_nothing(trial: Trial) -> bool:
    """Whether all that is arranged is an object that is given nothing."""
    tree = parse_or_none("\n".join(trial.arrange))
    if tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], ast.Assign):
        return False
    made = tree.body[0].value
    return isinstance(made, ast.Call) and not made.args and not made.keywords


def _outcome(observation: Observation) -> str:
    """What can be asserted of a call that returned; "" where that is nothing."""
    value = observation.value
    if observation.outcome != "returned" or value is None:
        return ""
    shown = value.source if value.source not in (None, "None") else ""
    parts = [shown or "", *(f"{name}: {one.source}" for name, one in observation.effects)]
    parts += [f"{name}: {one.source}" for name, one in value.attributes]
    return "; ".join(parts) if any(parts) else ""
