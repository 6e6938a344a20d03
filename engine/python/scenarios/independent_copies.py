"""Shows that a copy is one of its own: what is changed in it leaves the object alone that it was made from."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ....utils.python_names import assigned_variable, names_of
from ....utils.python_source import expression_or_none, parse_or_none
from ..model.model import CallableFacts, ModuleFacts, Observation
from ..search.trial_search import TrialRecord
from .scenario import Scenario, is_plain_return, returned_source, scenario_trial

COPYING = re.compile(r"_*(deep_?|shallow_?)?(copy|clone|duplicate)(_\w+)?")
"""Names of methods that are there to give an equal object."""

LEAVES_ORIGINAL = "leaves the original alone"
_MOST_CHANGES = 4
_MOST_COPIES = 3
_PAIR = 2


def independent_copies(records: Sequence[TrialRecord], facts: ModuleFacts) -> Iterator[Scenario]:
    """Generates scenarios that change a copy and ask its original, from calls that copy and calls that change."""
    returned: dict[str, list[TrialRecord]] = defaultdict(list)
    for record in records:
        if is_plain_return(record):
            returned[record.trial.subject].append(record)
    for owner in facts.classes:
        copying = [one for one in owner.members if one.kind == "method" and _copies(one)]
        changing = [one for one in owner.members if one.kind == "method" and one.public and one not in copying]
        changes = [found for one in changing for found in _changes(returned[one.qualname])] if copying else []
        for member in copying:
            telling = sorted(returned[member.qualname], key=_showing_little)
            for record in [one for one in telling if _original(one)][:_MOST_COPIES]:
                yield from _of_copy(record, member, changes)


def _copies(member: CallableFacts) -> bool:
    return COPYING.fullmatch(member.name) is not None and not member.needed and member.public


def _showing_little(record: TrialRecord) -> tuple[object, ...]:
    """Orders copies: those of objects with something in them first."""
    return -len(returned_source(record.observation)) // 10, len(record.trial.arrange), record.number


@dataclass(frozen=True, slots=True)
class _Change:
    """A call that changes its object: the variable, and the call as source; `record` is what showed it."""

    variable: str
    source: str
    record: TrialRecord


def _changes(records: Sequence[TrialRecord]) -> Iterator[_Change]:
    """The shortest calls of one method that change the object of a variable and name no other variable."""
    found: list[_Change] = []
    for record in records:
        act = expression_or_none(record.trial.act)
        if isinstance(act, ast.Call) and isinstance(act.func, ast.Name) and act.func.id == "repr" and act.args:
            act = act.args[0]
        changed = {name.partition(".")[0] for name, _ in record.observation.effects}
        if not isinstance(act, ast.Call) or not isinstance(act.func, ast.Attribute):
            continue
        if isinstance(act.func.value, ast.Name) and names_of(act) == {act.func.value.id} == changed:
            found.append(_Change(act.func.value.id, ast.unparse(act), record))
    yield from sorted(found, key=lambda one: (len(one.source), one.record.number))[:1]


def _original(record: TrialRecord) -> str:
    """The variable of the object that a record's act copies; empty where it does not copy that of a variable."""
    act = expression_or_none(record.trial.act)
    if isinstance(act, ast.Call) and isinstance(act.func, ast.Name) and act.func.id == "repr" and act.args:
        act = act.args[0]
    func = act.func if isinstance(act, ast.Call) and not (act.args or act.keywords) else None
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name):
        return ""
    bound = [found for text in record.trial.arrange if (found := _assigned(text)) is not None]
    return func.value.id if func.value.id in dict(bound) else ""


def _assigned(text: str) -> tuple[str, ast.expr] | None:
    tree = parse_or_none(text)
    return assigned_variable(tree.body[0]) if tree is not None and len(tree.body) == 1 else None


def _of_copy(record: TrialRecord, member: CallableFacts, changes: Sequence[_Change]) -> Iterator[Scenario]:
    variable, source = _original(record), returned_source(record.observation)
    if not source:
        return
    form = "[repr({}), repr({})]" if record.trial.act.startswith("repr(") else "[{}, {}]"
    for change in changes[:_MOST_CHANGES]:
        copied = f"copied_{variable}"
        changed = re.sub(rf"^{change.variable}\b", copied, change.source)
        arrange = (*record.trial.arrange, f"{copied} = {variable}.{member.name}()", changed)
        imports = tuple(sorted({*record.trial.imports, *change.record.trial.imports}))
        trial = scenario_trial(
            replace(record.trial, imports=imports), member.qualname, arrange, form.format(variable, copied)
        )
        yield Scenario(trial, LEAVES_ORIGINAL, _LeavesAlone(source))


@dataclass(frozen=True, slots=True)
class _LeavesAlone:
    """The condition that of two objects the first one still has a source, and the second one has another."""

    source: str

    def __call__(self, observation: Observation) -> bool:
        pair = expression_or_none(returned_source(observation))
        if not isinstance(pair, ast.List) or len(pair.elts) != _PAIR:
            return False
        original, copied = map(ast.unparse, pair.elts)
        return original == _normal(self.source) != copied


def _normal(source: str) -> str:
    tree = expression_or_none(source)
    return ast.unparse(tree) if tree is not None else source
