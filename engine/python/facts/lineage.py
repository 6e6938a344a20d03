"""Follows the classes of a module to their bases of the same module."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ....utils.graphs import reachable
from ..model.model import CallableFacts, ClassFacts, ModuleFacts

_CALLED_ON_OBJECTS = frozenset({"method", "property"})
_ANY_ARGUMENTS = frozenset({"var_positional", "var_keyword"})


def lineage(owner: str, bases: Mapping[str, Sequence[str]]) -> list[str]:
    """A class and its bases, the nearest first; nothing for a class that `bases` does not name.

    Args:
        bases: the names that each class of the module derives from; those of no such class lead nowhere.
    """
    return reachable([owner] if owner in bases else [], lambda one: (base for base in bases[one] if base in bases))


def bases_by_class(classes: Iterable[ClassFacts]) -> dict[str, list[str]]:
    """What each class of a module derives from, without type arguments: `Box` for `Box[int]`."""
    return {owner.name: [base.partition("[")[0] for base in owner.bases] for owner in classes}


def with_inherited(facts: ModuleFacts) -> dict[str, CallableFacts]:
    """The callables of a module by qualified name, and those that its classes inherit from each other."""
    found = {one.qualname: one for one in facts.callables()}
    owners, bases = {owner.name: owner for owner in facts.classes}, bases_by_class(facts.classes)
    for owner in facts.classes:
        for base in lineage(owner.name, bases)[1:]:
            for member in owners[base].members:
                name = f"{owner.name}.{member.name}"
                found.setdefault(name, replace(member, qualname=name, owner=owner.name))
    return found


def members_of_private_bases(facts: ModuleFacts) -> Iterator[CallableFacts]:
    """Generates what public classes inherit from private ones of their module, as members of theirs."""
    owners, bases = {owner.name: owner for owner in facts.classes}, bases_by_class(facts.classes)
    found = {one.qualname for one in facts.callables()}
    for owner in facts.classes:
        if owner.name.startswith("_") or (facts.exported is not None and owner.name not in facts.exported):
            continue
        for base in lineage(owner.name, bases)[1:]:
            for member in owners[base].members if base.startswith("_") else ():
                own = replace(member, qualname=f"{owner.name}.{member.name}", owner=owner.name)
                if own.public and own.qualname not in found and own.kind != "constructor":
                    found.add(own.qualname)
                    yield own


def members_that_run(owner: ClassFacts, bases: Sequence[ClassFacts]) -> frozenset[str]:
    """Names of the methods of a class's bases that call, at once or through each other, a method that it overrides.

    `to_cardinal` of a base spells out numbers with the `merge` of each language: nothing else shows what a language's
    class is there for. What only one other method calls is a part of that one; of what takes any arguments
    (`*sequences`) nothing here says which.

    Args:
        bases: the nearest first.
    """
    own = {member.name: member for member in owner.members}
    inherited: dict[str, CallableFacts] = {}
    for base in bases:
        for member in base.members:
            inherited.setdefault(member.name, member)
    overridden = own.keys() & inherited.keys()
    calls = {
        name: {call[5:] for call in member.calls if call.startswith("self.")} - {name}
        for name, member in (inherited | own).items()
    }
    callers = Counter(called for names in calls.values() for called in names)

    def called_by(name: str) -> set[str]:
        return calls.get(name, set())

    return frozenset(
        name
        for name, member in inherited.items()
        if name not in own
        and member.kind in _CALLED_ON_OBJECTS
        and callers[name] != 1
        and not any(item.kind in _ANY_ARGUMENTS for item in member.parameters)
        and not overridden.isdisjoint(reachable(calls[name], called_by))
    )
