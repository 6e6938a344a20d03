"""Finds trials that build an object of a class that documents forbid to call."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Set

from ....utils.python_names import dotted_name, last_name
from ....utils.python_source import shared_expression, shared_module, walk
from ..model.model import RICH_SOURCES, ModuleFacts, Trial


def classes_made_elsewhere(trials: Iterable[Trial], facts: ModuleFacts) -> frozenset[str]:
    """The classes that documents forbid to call, where a trial has an object of what they say to use instead.

    Without any such trial a class keeps the tests that it has.
    """
    makers = {owner.name: set(owner.makers) for owner in facts.classes if owner.makers}
    found: set[str] = set()
    for trial in trials if makers else ():
        if len(found) == len(makers):
            break
        called = {dotted_name(one.func) for one in calls_in(trial)}
        found |= {name for name, using in makers.items() if called & using}
    return frozenset(found)


def calls_forbidden_class(trial: Trial, forbidden: Set[str]) -> bool:
    """Whether a trial that nobody wrote calls a class whose objects functions make: it passes parts of the inside."""
    if not forbidden or trial.wanted or trial.source in RICH_SOURCES:
        return False
    called = (one.func for one in calls_in(trial))
    return any(isinstance(one, ast.Name | ast.Attribute) and last_name(one) in forbidden for one in called)


def calls_in(trial: Trial) -> list[ast.Call]:
    """The calls, which are for reading only, of a trial's statements and of its act."""
    trees = [*map(shared_module, map(str.strip, trial.arrange)), shared_expression(trial.act)]
    return [node for tree in trees if tree is not None for node in walk(tree) if isinstance(node, ast.Call)]
