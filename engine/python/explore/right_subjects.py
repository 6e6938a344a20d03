"""Gives trials the subject whose code they ran: of the members of one name in several classes, that of their object.

By its name alone a call is taken for that of another class: `parse(text).host` for `URL.host`, where `parse` makes a
`DecodedURL`. Which one a call meant is only known once it ran; another call of `parse` may make something else. An
object that is made to be called shows its call, not its construction: `check = Schema(Lower()); check("HI")`. So does
one that is made to be iterated over, and an operator between what a function made is one of that object's class.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ....utils.python_names import assigned_names, assignment_in
from ....utils.python_source import expression_or_none
from ..facts.lineage import bases_by_class, lineage
from ..model.arcs import runs_body
from ..model.model import RICH_SOURCES, CallableFacts, ModuleFacts, Trial
from ..search.trial_search import TrialRecord

_COLLECTING = frozenset("list tuple set sorted".split())
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "__add__",
    ast.Sub: "__sub__",
    ast.Mult: "__mul__",
    ast.BitOr: "__or__",
    ast.BitAnd: "__and__",
    ast.BitXor: "__xor__",
    ast.Lt: "__lt__",
    ast.LtE: "__le__",
    ast.Gt: "__gt__",
    ast.GtE: "__ge__",
    ast.In: "__contains__",
    ast.NotIn: "__contains__",
}


def with_right_subjects(records: Sequence[TrialRecord], facts: ModuleFacts) -> list[TrialRecord]:
    """The records, those that ran a member of another class of the module than their subject's under that member.

    Generated ones that only iterate over a new object are left out where the iteration has records of its own.
    """
    members: dict[str, list[CallableFacts]] = defaultdict(list)
    for owner in facts.classes:
        for one in owner.members:
            members[one.name].append(one)
    bases = bases_by_class(facts)
    calling = _by_class("__call__", facts)
    known = {owner.name: owner for owner in facts.classes}
    own = {name: [one for base in lineage(name, bases) for one in known[base].members] for name in calling}
    called = {(one.trial.subject, one.trial.arrange) for one in records if _calls_object(one, own)}
    iterating = _by_class("__iter__", facts)
    made = classes_made(records, facts)
    shown = {one.trial.subject for one in records if one.observation.outcome == "returned"}
    found: list[TrialRecord] = []
    for one in records:
        subject = _operated(one.trial, made)
        if (one.trial.subject, one.trial.arrange) in called and _calls_what_was_made(one.trial):
            subject = calling[one.trial.subject].qualname
        elif _iterates_object(one, iterating):
            subject = iterating[one.trial.subject].qualname
            if subject in shown and one.trial.source not in RICH_SOURCES:
                continue  # what was tried of it shows it better than a look at what was made
        right = replace(one, trial=replace(one.trial, subject=subject)) if subject else one
        found.append(right if subject else _under_right_subject(one, members, bases))
    return found


def classes_made(records: Sequence[TrialRecord], facts: ModuleFacts) -> dict[str, str]:
    """The class of the module that every plain call of a function was seen to return an object of, by the function."""
    names = {one.qualname for one in facts.functions}
    classes = {owner.name for owner in facts.classes}
    seen: dict[str, set[str]] = {}
    for record in records:
        act = expression_or_none(record.trial.act) if record.trial.subject in names else None
        value = record.observation.value
        if isinstance(act, ast.Call) and ast.unparse(act.func) == record.trial.subject and value is not None:
            seen.setdefault(record.trial.subject, set()).add(value.type_name.rpartition(".")[2])
    return {name: found.pop() for name, found in seen.items() if len(found) == 1 and found <= classes}


def _by_class(name: str, facts: ModuleFacts) -> dict[str, CallableFacts]:
    """The special method of each class that has it, or inherits it from another class of the module, by the class."""
    owners, bases = {owner.name: owner for owner in facts.classes}, bases_by_class(facts)
    found: dict[str, CallableFacts] = {}
    for owner in facts.classes:
        own = (one for base in lineage(owner.name, bases) for one in owners[base].members if one.name == name)
        if (member := next(own, None)) is not None:
            found[owner.name] = replace(member, qualname=f"{owner.name}.{name}", owner=owner.name)
    return found


def _operated(trial: Trial, made: Mapping[str, str]) -> str:
    """The operator by which a trial of a function asks what that made, as a member of its class; "" for others."""
    owner = made.get(trial.subject)
    act = expression_or_none(trial.act) if owner is not None else None
    name, operand = _operation(act)
    bound = dict(filter(None, map(assignment_in, trial.arrange)))
    while isinstance(operand, ast.Name) and operand.id in bound:
        operand = bound.pop(operand.id)
    called = isinstance(operand, ast.Call) and ast.unparse(operand.func) == trial.subject
    return f"{owner}.{name}" if name and called else ""


def _operation(act: ast.expr | None) -> tuple[str, ast.expr | None]:
    """The special method that an operator or `len` calls, and its receiver; "" for other acts."""
    if isinstance(act, ast.BinOp):
        return _OPERATORS.get(type(act.op), ""), act.left
    if isinstance(act, ast.Compare) and len(act.ops) == 1:
        contains = isinstance(act.ops[0], ast.In | ast.NotIn)
        return _OPERATORS.get(type(act.ops[0]), ""), act.comparators[0] if contains else act.left
    if isinstance(act, ast.Call) and isinstance(act.func, ast.Name) and act.func.id == "len" and len(act.args) == 1:
        return "__len__", act.args[0]
    return "", None


def _iterates_object(record: TrialRecord, iterating: Mapping[str, CallableFacts]) -> bool:
    """Whether a trial of a class's construction collects what an iteration over the new object gives."""
    own = iterating.get(record.trial.subject)
    act = expression_or_none(record.trial.act)
    if own is None or act is None or not runs_body(own, record.arcs):
        return False
    if record.trial.mode != "iterate":
        collects = isinstance(act, ast.Call) and isinstance(act.func, ast.Name) and act.func.id in _COLLECTING
        act = act.args[0] if collects and isinstance(act, ast.Call) and len(act.args) == 1 else None
    return isinstance(act, ast.Call) and ast.unparse(act.func) == record.trial.subject


def _calls_object(record: TrialRecord, own: Mapping[str, Sequence[CallableFacts]]) -> bool:
    """Whether a trial of a class's construction calls what was made and so runs what its objects do.

    An object that another one is made with may be asked otherwise than by a call of its own.
    """
    members = own.get(record.trial.subject, ())
    return _calls_what_was_made(record.trial) and any(runs_body(one, record.arcs) for one in members)


def _calls_what_was_made(trial: Trial) -> bool:
    bound = assigned_names(trial.arrange)
    act = expression_or_none(trial.act)
    calls = [node.func for node in ast.walk(act) if isinstance(node, ast.Call)] if act is not None else []
    return any(isinstance(func, ast.Call) or (isinstance(func, ast.Name) and func.id in bound) for func in calls)


def _under_right_subject(
    record: TrialRecord, members: dict[str, list[CallableFacts]], bases: dict[str, list[str]]
) -> TrialRecord:
    namesakes = members.get(record.trial.subject.rpartition(".")[2], [])
    own = next((one for one in namesakes if one.qualname == record.trial.subject), None)
    if own is None or len(namesakes) < 2 or runs_body(own, record.arcs) or not _asks_for(own.name, record):
        return record
    ran = [one for one in namesakes if runs_body(one, record.arcs)]
    if not ran:
        return record
    # The member of a class may have called that of its base.
    called = {base for one in ran for base in lineage(one.owner or "", bases)[1:]}
    right = next((one for one in ran if one.owner not in called), ran[0])
    return replace(record, trial=replace(record.trial, subject=right.qualname))


def _asks_for(member: str, record: TrialRecord) -> bool:
    """Whether the act names a member. Of several such calls of one that raised, only the first may have run."""
    act = expression_or_none(record.trial.act)
    asked = [one for one in ast.walk(act) if isinstance(one, ast.Attribute) and one.attr == member] if act else []
    return len(asked) == 1 or (len(asked) > 1 and record.observation.outcome == "returned")
