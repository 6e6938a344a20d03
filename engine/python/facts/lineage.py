"""Follows the classes of a module to their bases of the same module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..model.model import ModuleFacts


def lineage(owner: str, bases: Mapping[str, Sequence[str]]) -> list[str]:
    """A class and its bases, the nearest first; nothing for a class that `bases` does not name.

    Args:
        bases: the names that each class of the module derives from; those of no such class lead nowhere.
    """
    waiting, found = [owner], dict[str, None]()
    for one in waiting:  # grows while it is read
        if one in bases and one not in found:
            found[one] = None
            waiting += bases[one]
    return list(found)


def bases_by_class(facts: ModuleFacts) -> dict[str, list[str]]:
    """What each class of a module derives from, without type arguments: `Box` for `Box[int]`."""
    return {owner.name: [base.partition("[")[0] for base in owner.bases] for owner in facts.classes}
