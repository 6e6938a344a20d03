"""Gives trials the subject whose code they run: the member of the class that their object has.

By its name alone a call is taken for that of another class: `parse(text).host` for `URL.host`, where `parse` makes a
`DecodedURL`. What objects callables make is only known once they ran.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ....utils.python_names import assigned_variable
from ....utils.python_source import expression_or_none, parse_or_none
from ..model.model import ModuleFacts, Trial
from ..search.trial_search import TrialRecord
from ..source.shown_calls import shown_calls


def with_right_subjects(records: Sequence[TrialRecord], facts: ModuleFacts) -> list[TrialRecord]:
    """The records, those that call a member of another class of the module than their subject's under that member."""
    makers = _Makers.of(records, facts)
    members = frozenset(one.qualname for one in facts.callables())
    found: list[TrialRecord] = []
    for record in records:
        owner, _, member = record.trial.subject.rpartition(".")
        actual = makers.receiver(record.trial, member) if owner in makers.classes else ""
        right = f"{actual}.{member}"
        moved = actual not in ("", owner) and right in members
        found.append(replace(record, trial=replace(record.trial, subject=right)) if moved else record)
    return found


_Form = tuple[str, int, tuple[str, ...]]
"""A callable, the number of its positional arguments, and the names of the others."""


@dataclass(frozen=True, slots=True)
class _Makers:
    """What classes of the module objects have.

    Attributes:
        classes: names of the module's classes.
        made: the class of what a callable returns, by its qualified name and what it is given; of calls that return
            objects of several classes none.
    """

    classes: frozenset[str]
    made: Mapping[_Form, str]

    @classmethod
    def of(cls, records: Sequence[TrialRecord], facts: ModuleFacts) -> _Makers:
        """Reads them off what calls returned."""
        classes = frozenset(one.name for one in facts.classes)
        types: dict[_Form, set[str]] = defaultdict(set)
        for record in records:
            value, call = record.observation.value, next(shown_calls(expression_or_none(record.trial.act)), None)
            name = record.trial.subject.rpartition(".")[2]
            if value is not None and call is not None and _called(call) == name and record.trial.mode == "call":
                types[_form(record.trial.subject, call)].add(value.type_name.rpartition(".")[2])
        made = {name: next(iter(found)) for name, found in types.items() if len(found) == 1}
        return cls(classes, {name: one for name, one in made.items() if one in classes})

    def receiver(self, trial: Trial, member: str) -> str:
        """The class of the object whose member an act names; "" where it is not known."""
        act = expression_or_none(trial.act)
        tree = parse_or_none("\n".join(trial.arrange)) if act is not None else None
        if act is None or tree is None:
            return ""
        asked = [one for one in ast.walk(act) if isinstance(one, ast.Attribute) and one.attr == member]
        if len(asked) != 1:
            return ""
        bound: dict[str, str] = {}
        for statement in tree.body:
            found = assigned_variable(statement)
            if found is not None:
                bound[found[0]] = self._class_of(found[1], bound)
        return self._class_of(asked[0].value, bound)

    def _class_of(self, node: ast.expr, bound: Mapping[str, str]) -> str:
        if isinstance(node, ast.Name):
            return bound.get(node.id, "")
        if not isinstance(node, ast.Call):
            return ""
        if isinstance(node.func, ast.Name):
            return node.func.id if node.func.id in self.classes else self.made.get(_form(node.func.id, node), "")
        if not isinstance(node.func, ast.Attribute):
            return ""
        base = node.func.value
        named = base.id if isinstance(base, ast.Name) and base.id in self.classes else ""
        return self.made.get(_form(f"{named or self._class_of(base, bound)}.{node.func.attr}", node), "")


def _form(name: str, call: ast.Call) -> _Form:
    return name, len(call.args), tuple(sorted(one.arg or "" for one in call.keywords))


def _called(call: ast.Call) -> str:
    """The name of what a call calls."""
    return ast.unparse(call.func).rpartition(".")[2]
