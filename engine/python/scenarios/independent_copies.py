"""Shows what leaves an object alone: that a copy is one of its own, and the flag with which a call changes no argument.

What is changed in a copy leaves the object as it was that the copy was made from; `put(box, 3, inplace=False)` gives
another box.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ....utils.python_names import assignments_in, last_name, names_of
from ....utils.python_source import expression_or_none, normalized, shared_expression
from ..domain.membership import count_outside
from ..inputs.plain_texts import oddness
from ..model.model import RICH_SOURCES, CallableFacts, ModuleFacts, Observation
from ..search.story_steps import flags_of, with_switched
from ..search.trial_search import TrialRecord
from ..source.shown_calls import represented
from .scenario import Scenario, is_plain_return, returned_source, scenario_trial

COPYING = re.compile(r"_*(deep_?|shallow_?)?(copy|clone|duplicate)(_\w+)?")
"""Names of methods that are there to give an equal object."""

LEAVES_ORIGINAL = "leaves the original alone"
SPARES = "leaves its argument alone"
_MOST_CHANGES = 4
_MOST_COPIES = 3
_MOST_CALLS = 3
_PAIR = 2


def independent_copies(records: Sequence[TrialRecord], facts: ModuleFacts) -> Iterator[Scenario]:
    """Generates scenarios that change a copy and ask its original, from calls that copy and calls that change."""
    returned: dict[str, list[TrialRecord]] = defaultdict(list)
    for record in records:
        if is_plain_return(record):
            returned[record.trial.subject].append(record)
    for owner in facts.classes:
        copying = [one for one in owner.members if one.kind == "method" and _copies(one)]
        changing = [one for one in owner.members if one.kind == "method" and one.public and not _copies(one)]
        found = [_change(returned[one.qualname], facts) for one in changing] if copying else []
        changes = [one for one in found if one is not None]
        for member in copying:
            telling = sorted(returned[member.qualname], key=_showing_little)
            for record in [one for one in telling if _original(one)][:_MOST_COPIES]:
                yield from _of_copy(record, member, changes)


def spared_arguments(records: Sequence[TrialRecord], facts: ModuleFacts) -> Iterator[Scenario]:
    """Generates scenarios that pass the other value of a flag to a call that changes its argument, and ask both."""
    flagged = {one.qualname: flags for one in facts.callables() if one.public and (flags := flags_of(one))}
    tried: dict[tuple[str, str], int] = defaultdict(int)
    for record in sorted(records, key=lambda one: (one.trial.source not in RICH_SOURCES, one.number)):
        flags = flagged.get(record.trial.subject, ()) if is_plain_return(record) else ()
        changed = {name for name, _ in record.observation.effects if name.isidentifier()}
        call = _shown_call(record.trial.act, record.trial.subject) if flags and len(changed) == 1 else None
        if call is None or not changed <= {one.id for one in call.args if isinstance(one, ast.Name)}:
            continue
        (variable,) = changed
        made = assignments_in(record.trial.arrange)
        for flag in flags:
            known = any(keyword.arg == flag.name for keyword in call.keywords)
            if known or variable not in made or tried[record.trial.subject, flag.name] >= _MOST_CALLS:
                continue
            tried[record.trial.subject, flag.name] += 1
            act, subject = f"[{with_switched(call, flag)}, {variable}]", record.trial.subject
            trial = scenario_trial(record.trial, subject, record.trial.arrange, act)
            yield Scenario(trial, SPARES, _LeavesAlone(ast.unparse(made[variable]), at=1))


def _shown_call(act: str, subject: str) -> ast.Call | None:
    """The call of a function that an act is, or that it compares with what should come."""
    tree = expression_or_none(act)
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1 and isinstance(tree.ops[0], ast.Eq):
        tree = tree.left
    named = isinstance(tree, ast.Call) and last_name(tree.func) == subject.rpartition(".")[2]
    starred = isinstance(tree, ast.Call) and any(isinstance(one, ast.Starred) for one in tree.args)
    return tree if isinstance(tree, ast.Call) and named and not starred else None


def _copies(member: CallableFacts) -> bool:
    return COPYING.fullmatch(member.name) is not None and not member.needed and member.public


def _showing_little(record: TrialRecord) -> tuple[object, ...]:
    """Orders copies: those of objects that are made in the fewest lines first, then those that show most; last those of
    objects that are made of nothing, which another one made of nothing equals, and before them those of odd texts."""
    made = list(assignments_in(record.trial.arrange).values())
    bare = len(record.trial.arrange) == 1 and all(isinstance(one, ast.Call) and _is_bare(one) for one in made)
    values = [node.value for one in made for node in ast.walk(one) if isinstance(node, ast.Constant)]
    odd = any(oddness(value) > 1 for value in values if isinstance(value, str))
    return bare, odd, len(record.trial.arrange), -len(returned_source(record.observation)), record.number


def _is_bare(call: ast.Call) -> bool:
    return not (call.args or call.keywords)


@dataclass(frozen=True, slots=True)
class _Change:
    """A call that changes its object: the variable, and the call as source; `record` is what showed it."""

    variable: str
    source: str
    record: TrialRecord


def _change(records: Sequence[TrialRecord], facts: ModuleFacts) -> _Change | None:
    """The call of one method that changes the object of a variable and names no other variable; None without one.

    One that a person wrote comes first, then the shortest; what is passed belongs to the method's domains.
    """
    found: list[_Change] = []
    for record in records:
        act = shared_expression(record.trial.act)
        act = represented(act) or act
        changed = {name.partition(".")[0] for name, _ in record.observation.effects}
        if not isinstance(act, ast.Call) or not isinstance(act.func, ast.Attribute):
            continue
        if isinstance(act.func.value, ast.Name) and names_of(act) == {act.func.value.id} == changed:
            found.append(_Change(act.func.value.id, ast.unparse(act), record))
    fitting = [one for one in found if not count_outside(one.record.trial, facts)]
    return min(fitting, key=_showing_less, default=None)


def _showing_less(one: _Change) -> tuple[object, ...]:
    return one.record.trial.source not in RICH_SOURCES, len(one.source), one.record.number


def _original(record: TrialRecord) -> str:
    """The variable of the object that a record's act copies; empty where it does not copy that of a variable."""
    act = shared_expression(record.trial.act)
    act = represented(act) or act
    func = act.func if isinstance(act, ast.Call) and not (act.args or act.keywords) else None
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name):
        return ""
    return func.value.id if func.value.id in assignments_in(record.trial.arrange) else ""


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
    """The condition that of two objects one still has a source, by default the first, and the other one has another."""

    source: str
    at: int = 0

    def __call__(self, observation: Observation) -> bool:
        pair = expression_or_none(returned_source(observation))
        if not isinstance(pair, ast.List) or len(pair.elts) != _PAIR:
            return False
        both = [ast.unparse(one) for one in pair.elts]
        return both[self.at] == normalized(self.source) != both[1 - self.at]
