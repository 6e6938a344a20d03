"""Limiting a module's facts to the symbols that a request names (T-02)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from ...errors import RequestError
from .model import ClassFacts, ModuleFacts


def narrowed(facts: ModuleFacts, symbols: Collection[str] | None) -> ModuleFacts:
    """The facts with only what `symbols` name; all of them for None.

    Args:
        symbols: functions, classes (with all members) or `Class.member`, as qualified names in the module.

    Raises:
        RequestError: none of them is a function or class of the module.
    """
    if symbols is None:
        return facts
    wanted = set(symbols)
    functions = tuple(one for one in facts.functions if one.qualname in wanted)
    classes = tuple(kept for owner in facts.classes if (kept := _narrowed_class(owner, wanted)) is not None)
    if not functions and not classes:
        raise RequestError(
            f"{facts.path} has no function or class {', '.join(sorted(wanted))} that could be tested.",
            advice="Name a public function, class or method that the module itself defines.",
        )
    return replace(facts, functions=functions, classes=classes)


def _narrowed_class(owner: ClassFacts, wanted: set[str]) -> ClassFacts | None:
    if owner.name in wanted:
        return owner
    members = tuple(one for one in owner.members if one.qualname in wanted)
    constructed = f"{owner.name}.__init__" in wanted
    if not members and not constructed:
        return None
    return replace(owner, members=members, constructor=owner.constructor if constructed else None)
