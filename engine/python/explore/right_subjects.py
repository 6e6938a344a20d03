"""Gives trials the subject whose code they ran: of the members of one name in several classes, that of their object.

By its name alone a call is taken for that of another class: `parse(text).host` for `URL.host`, where `parse` makes a
`DecodedURL`. Which one a call meant is only known once it ran; another call of `parse` may make something else. An
object that is made to be called shows its call, not its construction: `check = Schema(Lower()); check("HI")`.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ....utils.python_names import assigned_names
from ....utils.python_source import expression_or_none
from ..facts.lineage import bases_by_class, lineage
from ..model.arcs import runs_body
from ..model.model import CallableFacts, ModuleFacts, Trial
from ..search.trial_search import TrialRecord


def with_right_subjects(records: Sequence[TrialRecord], facts: ModuleFacts) -> list[TrialRecord]:
    """The records, those that ran a member of another class of the module than their subject's under that member."""
    members: dict[str, list[CallableFacts]] = defaultdict(list)
    for owner in facts.classes:
        for one in owner.members:
            members[one.name].append(one)
    bases = bases_by_class(facts)
    calling = {one.owner or "": one for one in members["__call__"]}
    called = {(one.trial.subject, one.trial.arrange) for one in records if _calls_object(one, calling)}
    return [
        replace(one, trial=replace(one.trial, subject=calling[one.trial.subject].qualname))
        if (one.trial.subject, one.trial.arrange) in called and _calls_variable(one.trial)
        else _under_right_subject(one, members, bases)
        for one in records
    ]


def _calls_object(record: TrialRecord, calling: Mapping[str, CallableFacts]) -> bool:
    """Whether a trial of a class's construction calls a variable and so runs what calls of its objects do."""
    own = calling.get(record.trial.subject)
    return own is not None and _calls_variable(record.trial) and runs_body(own, record.arcs)


def _calls_variable(trial: Trial) -> bool:
    bound = assigned_names(trial.arrange)
    act = expression_or_none(trial.act)
    calls = [node.func for node in ast.walk(act) if isinstance(node, ast.Call)] if act is not None else []
    return any(isinstance(func, ast.Name) and func.id in bound for func in calls)


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
