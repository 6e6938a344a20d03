"""Gives methods what persons pass to those that they override: `Longer.from_diff` takes what `Patch.from_diff` does."""

from __future__ import annotations

from collections.abc import Iterator

from ..facts.lineage import bases_by_class, lineage
from ..model.model import CallableFacts, Candidate, ModuleFacts


def add_inherited_values(known: dict[tuple[str, str], list[Candidate]], facts: ModuleFacts) -> None:
    """Adds to `known` the values of the nearest overridden method, for parameters of which no call is known."""
    for one, overridden in _overriding(facts):
        names = {item.name for item in overridden.parameters}
        for item in one.parameters:
            inherited = known.get((overridden.qualname, item.name), [])
            if item.name in names and inherited and not known.get((one.qualname, item.name)):
                known[one.qualname, item.name] = list(inherited)


def _overriding(facts: ModuleFacts) -> Iterator[tuple[CallableFacts, CallableFacts]]:
    """The members that override one of a base of the module, with that one."""
    owners, bases = {owner.name: owner for owner in facts.classes}, bases_by_class(facts.classes)
    for owner in facts.classes:
        for one in owner.members:
            above = (other for name in lineage(owner.name, bases)[1:] for other in owners[name].members)
            overridden = next((other for other in above if other.name == one.name and other.kind == one.kind), None)
            if overridden is not None:
                yield one, overridden
