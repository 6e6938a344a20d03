"""Shows what a node is for that has no methods: it is linked with others, and what it is not linked with is None.

A constructor that sets `next` to None leaves the links to its user. Of such a class the values alone say nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ....utils.python_source import expression_or_none, literal_or
from ..domain.example_tables import WORD_ROWS
from ..domain.from_shapes import LINKS
from ..inputs.calls import variable_for
from ..model.model import ClassFacts, ModuleFacts
from ..search.trial_search import TrialRecord
from .scenario import Returns, Scenario, is_plain_return, scenario_trial

LINKED = "links"
"""What a scenario shows that links objects of one class."""

_BACK = ("prev", "previous", "parent")
_MOST_LINKS = 2


def linked_nodes(records: Sequence[TrialRecord], facts: ModuleFacts) -> Iterator[Scenario]:
    """Generates, for each class of nodes without methods, objects that are linked, and walks over them."""
    for owner in facts.classes:
        public = [one for one in owner.members if not one.name.startswith("_")]
        if owner.name.startswith("_") or public or owner.constructor is None or len(owner.constructor.needed) != 1:
            continue
        yield from (found for record in records if (found := _linked(record, owner)) is not None)


def _linked(record: TrialRecord, owner: ClassFacts) -> Scenario | None:
    """The scenario of nodes like the one that a record makes of a number or word; None for other records."""
    value, call = record.observation.value, expression_or_none(record.trial.act)
    if record.trial.subject != owner.name or not is_plain_return(record) or value is None or record.trial.arrange:
        return None
    if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
        return None
    given = literal_or(call.args[0], None)
    if isinstance(given, bool) or not isinstance(given, int | str) or not given:
        return None
    held = {name: attribute.source for name, attribute in value.attributes}
    kept = next((name for name, source in held.items() if source == repr(given)), "")
    empty = [name for name, source in held.items() if source == "None" and name in LINKS]
    forward = [name for name in empty if name not in _BACK][:_MOST_LINKS]
    if not kept or not forward:
        return None
    back = next((name for name in empty if name in _BACK), "")
    return _walk(record, call, kept, forward, back, _values_beside(given, len(forward)))


def _values_beside(given: int | str, count: int) -> Sequence[int | str]:
    if isinstance(given, int):
        return range(given + 1, given + count + 1)
    return [word for word in WORD_ROWS[0] if word != given][:count]


def _walk(
    record: TrialRecord, call: ast.Call, kept: str, forward: Sequence[str], back: str, values: Sequence[int | str]
) -> Scenario:
    """Nodes with their links, and a list of what is found on the way: values, then the ends."""
    variable = variable_for(record.trial.subject)
    made = ast.unparse(call.func)
    arrange = [f"{variable} = {record.trial.act}"]
    steps: list[tuple[str, str]] = []
    for name, value in zip(forward, values, strict=True):
        arrange.append(f"{variable}.{name} = {made}({value!r})")
        steps.append((f"{variable}.{name}.{kept}", repr(value)))
        if back:
            arrange.append(f"{variable}.{name}.{back} = {variable}")
            steps.append((f"{variable}.{name}.{back}.{kept}", ast.unparse(call.args[0])))
    if back:
        steps.append((f"{variable}.{back}", "None"))
    steps += [(f"{variable}.{forward[0]}.{name}", "None") for name in forward]
    act, wanted = (f"[{', '.join(parts)}]" for parts in zip(*steps, strict=True))
    return Scenario(scenario_trial(record.trial, record.trial.subject, arrange, act), LINKED, Returns(wanted))
