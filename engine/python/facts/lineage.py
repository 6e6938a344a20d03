"""Follows the classes of a module to their bases of the same module."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ....utils.graphs import reachable
from ..model.model import CallableFacts, ClassFacts, ModuleFacts


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
