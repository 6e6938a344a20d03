"""Compares the calls of one class with each other: misuse that an empty object lets pass, calls that show no method,
uses that are going away."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from ....utils.python_names import assignments_in
from ....utils.python_source import shared_expression, shared_module
from ..model.model import Observation, Trial
from ..search.trial_search import TrialRecord

_OF_THE_WRONG_TYPE = frozenset({"TypeError", "AttributeError"})
_SHOWING = frozenset({"__str__", "__repr__"})
_OF_OLD_USE = ("DeprecationWarning", "FutureWarning")
_UNEQUAL: dict[type[ast.cmpop], str] = {ast.Eq: "False", ast.NotEq: "True"}
"""What a comparison of unequal things gives."""

_SEVERAL_CALLS = 3
_ITEMS = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Call)
_Call = tuple[str, str]
"""A callable, and the arguments of a call of it."""


class _CallOnObject:
    """Key of the notes of records: the object's variable and the arguments of a method's call; () for other acts."""


class _Difference:
    """Key of the notes of records: how unlike two objects are that were found unequal."""


def misuses_of_empty_objects(records: Sequence[TrialRecord]) -> frozenset[int]:
    """Numbers of the records that return only because their object holds nothing.

    With the same arguments the method raises a TypeError or an AttributeError on an object that holds something:
    `tree.overlap(6)`, which wants an interval and looks at it where there is something to compare it with. What an
    object with another option refuses tells nothing of one with its defaults.
    """
    refused = {
        call
        for record, call in _calls(records)
        if record.observation.raised is not None
        and record.observation.raised.type_name in _OF_THE_WRONG_TYPE
        and not _is_only_set_up(record.trial)
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


def constant_callables(records: Sequence[TrialRecord]) -> frozenset[str]:
    """Names of the callables that gave one answer to whatever they were asked, three different calls at least.

    One call shows all that there is to see of them.
    """
    found: dict[str, dict[tuple[str, ...], object]] = {}
    for record in records:
        seen, trial = record.observation, record.trial
        told = (seen.value.source if seen.value is not None else None) or record.number  # no answer is like it
        if seen.raised is not None and seen.raised.type_name in _OF_THE_WRONG_TYPE:
            continue
        silent = seen.outcome == "returned" and not (seen.effects or seen.output or seen.errors or seen.warnings)
        found.setdefault(trial.subject, {})[*trial.arrange, trial.act] = told if silent else record.number
    return frozenset(
        subject
        for subject, answers in found.items()
        if len(answers) >= _SEVERAL_CALLS and len(set(answers.values())) == 1
    )


def deprecated_uses(records: Sequence[TrialRecord]) -> frozenset[int]:
    """Numbers of the records that warn of a use that is going away, where the callable also answers without.

    Nobody who reads `interval < 1` learns what the comparison of intervals does.
    """
    quiet = {
        one.trial.subject for one in records if one.observation.outcome == "returned" and not one.observation.warnings
    }
    return frozenset(
        one.number
        for one in records
        if one.trial.subject in quiet
        and not one.trial.wanted
        and any(name.endswith(_OF_OLD_USE) for name, _ in one.observation.warnings)
    )


def loose_comparisons(records: Sequence[TrialRecord]) -> frozenset[int]:
    """Numbers of the records that find objects unequal that differ in more than others do that are found so.

    Anything is unequal to a number, and to an object of another size; another item alone shows what is compared.
    """
    found: dict[str, list[tuple[int, TrialRecord]]] = {}
    for record in records:
        difference = record.notes.get(_Difference)
        if difference is None:
            difference = record.notes[_Difference] = _difference(record)
        if isinstance(difference, int) and difference >= 0:
            found.setdefault(record.trial.subject, []).append((difference, record))
    least = {subject: min(difference for difference, _ in alike) for subject, alike in found.items()}
    return frozenset(
        record.number
        for subject, alike in found.items()
        for difference, record in alike
        if difference > least[subject] and not record.trial.wanted
    )


def _difference(record: TrialRecord) -> int:
    """How unlike two objects are that are found unequal: 0 calls of one form, 1 of one class, 2 others; else -1."""
    trial, value = record.trial, record.observation.value
    act = shared_expression(trial.act)
    if not trial.subject.endswith(("__eq__", "__ne__")) or value is None or not isinstance(act, ast.Compare):
        return -1
    unequal = _UNEQUAL.get(type(act.ops[0])) if len(act.ops) == 1 else None
    if unequal is None or value.source != unequal:
        return -1
    bound = assignments_in(trial.arrange)
    left, right = (_built(one, bound) for one in (act.left, act.comparators[0]))
    if not isinstance(left, ast.Call) or not isinstance(right, ast.Call):
        return 2
    if ast.unparse(left.func) != ast.unparse(right.func):
        return 2
    return int(_form(left) != _form(right))


def _built(node: ast.expr, bound: Mapping[str, ast.expr]) -> ast.expr:
    return bound.get(node.id, node) if isinstance(node, ast.Name) else node


def _form(call: ast.Call) -> list[str]:
    """The nodes of a call's arguments, by their types: the same for `Box([1, 2])` and `Box([1, 3])`."""
    signs = ast.UnaryOp, ast.unaryop
    return sorted(type(node).__name__ for node in ast.walk(call) if not isinstance(node, signs))


def _calls(records: Sequence[TrialRecord]) -> Iterator[tuple[TrialRecord, _Call]]:
    """The records whose act is a call of the method under test on a variable, with the source of its arguments."""
    for record in records:
        given = record.notes.get(_CallOnObject)
        if given is None:
            given = record.notes[_CallOnObject] = _arguments(record.trial)
        if isinstance(given, str):
            yield record, (record.trial.subject, given)


def _arguments(trial: Trial) -> str | bool:
    """The arguments as source text; False where the act is no call of the method under test on a variable.

    `str(item)` and `repr(item)` are such calls, too: of a number, both give the same.
    """
    call = shared_expression(trial.act)
    owner, _, member = trial.subject.rpartition(".")
    if isinstance(call, ast.Call) and owner and member == f"__{ast.unparse(call.func)}__" and member in _SHOWING:
        return ast.unparse(call.args[0]) if len(call.args) == 1 and isinstance(call.args[0], ast.Name) else False
    if not owner or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    if call.func.attr != member or not isinstance(call.func.value, ast.Name):
        return False
    return ", ".join([*map(ast.unparse, call.args), *(ast.unparse(one) for one in call.keywords)])


def _is_made_of_nothing(trial: Trial) -> bool:
    """Whether all that is arranged is an object that is given nothing."""
    tree = shared_module("\n".join(trial.arrange))
    if tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], ast.Assign):
        return False
    made = tree.body[0].value
    return isinstance(made, ast.Call) and not made.args and not made.keywords


def _is_only_set_up(trial: Trial) -> bool:
    """Whether the object was given options by their names, and no items, and nothing was done with it since."""
    last = shared_module(trial.arrange[-1]) if trial.arrange else None
    made = last.body[0].value if last is not None and last.body and isinstance(last.body[0], ast.Assign) else None
    if not isinstance(made, ast.Call) or made.args:
        return False
    return bool(made.keywords) and not any(isinstance(one.value, _ITEMS) for one in made.keywords)


def _outcome(observation: Observation) -> str:
    """What can be asserted of a call that returned; "" where that is nothing."""
    value = observation.value
    if observation.outcome != "returned" or value is None:
        return ""
    shown = value.source if value.source not in (None, "None") else ""
    parts = [shown or "", *(f"{name}: {one.source}" for name, one in observation.effects)]
    parts += [f"{name}: {one.source}" for name, one in value.attributes]
    return "; ".join(parts) if any(parts) else ""
