"""Gives trials the subject whose code they ran: of the members of one name in several classes, that of their object.

By its name alone a call is taken for that of another class: `parse(text).host` for `URL.host`, where `parse` makes a
`DecodedURL`. Which one a call meant is only known once it ran; another call of `parse` may make something else. An
object that is made to be called shows its call, not its construction: `check = Schema(Lower()); check("HI")`. So does
one that is made to be iterated over, and an operator between what a function made is one of that object's class.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ....utils.graphs import reachable
from ....utils.python_names import assignments_in, dotted_name, last_name
from ....utils.python_source import expression_or_none, walk
from ..facts.lineage import bases_by_class, lineage, with_inherited
from ..facts.operators import operation
from ..model.arcs import own_arcs, runs_body
from ..model.model import RICH_SOURCES, Arc, CallableFacts, ModuleFacts, Trial
from ..search.trial_search import TrialRecord
from ..source.shown_calls import COLLECTING

_ASKED_BY = {"len": "__len__", "reversed": "__reversed__"}


def with_right_subjects(records: Sequence[TrialRecord], facts: ModuleFacts) -> list[TrialRecord]:
    """The records, those that ran a member of another class of the module than their subject's under that member.

    Generated ones that only iterate over a new object are left out where those of the iteration itself show as much.
    """
    members: dict[str, list[CallableFacts]] = defaultdict(list)
    for owner in facts.classes:
        for one in owner.members:
            members[one.name].append(one)
    bases = bases_by_class(facts.classes)
    callables = with_inherited(facts)
    called = {(one.trial.subject, one.trial.arrange) for one in records if _calls_object(one, callables)}
    made = _classes_made(records, facts)
    shown: dict[str, set[Arc]] = defaultdict(set)
    for one in records:
        if one.observation.outcome == "returned":
            shown[one.trial.subject] |= one.arcs
    found: list[TrialRecord] = []
    for one in records:
        subject = _operated(one, made, callables, bases)
        if (one.trial.subject, one.trial.arrange) in called and _calls_what_was_made(one.trial):
            subject = f"{one.trial.subject}.__call__"
        elif _iterates_object(one, callables):
            subject = f"{one.trial.subject}.__iter__"
            if _is_shown(one, callables[subject], shown):
                continue  # what was tried of it shows it better than a look at what was made
        right = replace(one, trial=replace(one.trial, subject=subject)) if subject else one
        found.append(right if subject else _under_right_subject(one, members, bases))
    return found


def _is_shown(record: TrialRecord, member: CallableFacts, shown: Mapping[str, set[Arc]]) -> bool:
    """Whether a generated trial ran nothing of a member that trials of that member did not run.

    Args:
        shown: what trials that returned ran, by subject.
    """
    if record.trial.source in RICH_SOURCES or record.observation.outcome != "returned":
        return False
    return own_arcs(member, record.arcs) <= shown.get(member.qualname, set())


def _classes_made(records: Sequence[TrialRecord], facts: ModuleFacts) -> dict[str, str]:
    """The class of the module that every plain call of a function was seen to return an object of, by the function."""
    names = {one.qualname for one in facts.functions}
    classes = {f"{facts.module}.{owner.name}": owner.name for owner in facts.classes}
    seen: dict[str, set[str]] = {}
    for record in records:
        act = expression_or_none(record.trial.act) if record.trial.subject in names else None
        value = record.observation.value if record.trial.mode == "call" else None
        if isinstance(act, ast.Call) and ast.unparse(act.func) == record.trial.subject and value is not None:
            seen.setdefault(record.trial.subject, set()).add(value.type_name)
    return {name: classes[found.pop()] for name, found in seen.items() if len(found) == 1 and found <= classes.keys()}


def _operated(
    record: TrialRecord,
    made: Mapping[str, str],
    callables: Mapping[str, CallableFacts],
    bases: Mapping[str, Sequence[str]],
) -> str:
    """The operator by which a trial of a function asks what that made, as a member of its class; "" for others.

    A class has an operator that the module defines, or that worked and may come from a class of another module.
    """
    trial = record.trial
    owner = made.get(trial.subject)
    operated = _operation(expression_or_none(trial.act)) if owner is not None else None
    if owner is None or operated is None:
        return ""
    name, operand = operated
    bound = assignments_in(trial.arrange)
    while isinstance(operand, ast.Name) and operand.id in bound:
        operand = bound.pop(operand.id)
    if not isinstance(operand, ast.Call) or ast.unparse(operand.func) != trial.subject:
        return ""
    if name == "__reversed__" and f"{owner}.{name}" not in callables:
        return _only_member_run(record, owner, callables)  # `__reversed__ = reverse`
    foreign = any(base not in bases for one in lineage(owner, bases) for base in bases[one])
    inherits = foreign and record.observation.outcome == "returned" and name != "__eq__"
    return f"{owner}.{name}" if inherits or f"{owner}.{name}" in callables else ""


def _only_member_run(record: TrialRecord, owner: str, callables: Mapping[str, CallableFacts]) -> str:
    """The public method of a class that a trial ran, where it ran no other; else ""."""
    members = (one for name, one in callables.items() if name.rpartition(".")[0] == owner and one.kind == "method")
    ran = [one.qualname for one in members if not one.name.startswith("_") and runs_body(one, record.arcs)]
    return ran[0] if len(ran) == 1 else ""


def _operation(act: ast.expr | None) -> tuple[str, ast.expr] | None:
    """The special method that an operator, `len` or `reversed` calls, and its receiver; None for other acts."""
    if isinstance(act, ast.Call) and isinstance(act.func, ast.Name) and len(act.args) == 1:
        asked = _ASKED_BY.get(act.func.id)
        if asked is not None:
            return asked, act.args[0]
    return operation(act)


def _iterates_object(record: TrialRecord, callables: Mapping[str, CallableFacts]) -> bool:
    """Whether a trial of a class's construction collects what an iteration over the new object gives."""
    own = callables.get(f"{record.trial.subject}.__iter__")
    act = expression_or_none(record.trial.act)
    if own is None or act is None or not runs_body(own, record.arcs):
        return False
    if record.trial.mode != "iterate":
        collects = isinstance(act, ast.Call) and isinstance(act.func, ast.Name) and act.func.id in COLLECTING
        act = act.args[0] if collects and isinstance(act, ast.Call) and len(act.args) == 1 else None
    return isinstance(act, ast.Call) and ast.unparse(act.func) == record.trial.subject


def _calls_object(record: TrialRecord, callables: Mapping[str, CallableFacts]) -> bool:
    """Whether a trial of a class's construction calls what was made and so runs what its objects do.

    An object that another one is made with may be asked otherwise than by a call of its own.
    """
    subject = record.trial.subject
    if f"{subject}.__call__" not in callables or not _calls_what_was_made(record.trial):
        return False
    members = (one for name, one in callables.items() if name.rpartition(".")[0] == subject)
    return any(runs_body(one, record.arcs) for one in members)


def _calls_what_was_made(trial: Trial) -> bool:
    """Whether an act calls an object of the class that a trial constructs, or what was made with such an object."""
    bound = assignments_in(trial.arrange)
    act = expression_or_none(trial.act)
    calls = [node.func for node in ast.walk(act) if isinstance(node, ast.Call)] if act is not None else []
    return any(_is_made(func, trial.subject, bound) for func in calls)


def _is_made(node: ast.expr, owner: str, bound: Mapping[str, ast.expr]) -> bool:
    """Whether an expression constructs a class, or passes such an object to what it calls: `Schema(Any(Upper()))`."""
    names = reachable(_names(node), lambda name: _names(bound[name]) if name in bound else ())
    values = [node, *(bound[name] for name in names if name in bound)]
    return any(
        isinstance(part, ast.Call) and dotted_name(part.func) and last_name(part.func) == owner
        for value in values
        for part in _made_of(value)
    )


def _names(node: ast.expr) -> Iterator[str]:
    return (part.id for part in _made_of(node) if isinstance(part, ast.Name))


def _made_of(node: ast.expr) -> Iterator[ast.AST]:
    """Generates a name, or a call of what has one and all that it is passed; nothing for other expressions."""
    if isinstance(node, ast.Name):
        yield node
    elif isinstance(node, ast.Call) and dotted_name(node.func):
        yield node
        for value in (*node.args, *(keyword.value for keyword in node.keywords)):
            yield from walk(value)


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
