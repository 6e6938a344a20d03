"""Reads the arguments that documented calls pass together.

A module's function often makes an object and asks it: `resolve(doc, pointer)` is `Pointer(pointer).resolve(doc)`. What
such a call is shown with fits together: the pointer leads to something in the document.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from ....utils.python_names import dotted_name
from ....utils.python_source import expression_or_none
from ..model.model import RICH_SOURCES, CallableFacts, Candidate, ModuleFacts, Parameter, Trial
from .harvest import candidate_of, certain_arguments, imports_by_name, tree_with_literals, whole_row

JointArguments = Mapping[str, Candidate]
"""The arguments of one call by the names of their parameters."""
_MOST = 12
_FEWEST = 2


def joint_examples(trials: Iterable[Trial], facts: ModuleFacts) -> tuple[JointArguments, ...]:
    """The arguments of the calls of a module's functions in documents and usage, for calls with at least two.

    What a variable holds that is bound once to a literal stands for it; at most twelve different calls.
    """
    functions = {one.qualname: one for one in facts.functions}
    found: dict[tuple[str, ...], JointArguments] = {}
    for trial in trials:
        tree = tree_with_literals(trial) if trial.source in RICH_SOURCES else None
        if tree is None:
            continue
        imports = imports_by_name(trial)
        for node in ast.walk(tree):
            called = functions.get(dotted_name(node.func)) if isinstance(node, ast.Call) else None
            if called is None or not isinstance(node, ast.Call):
                continue
            given = {
                item.name: candidate
                for item, value in certain_arguments(node, called)
                if (candidate := candidate_of(value, imports, "domain")) is not None
            }
            if len(given) >= _FEWEST:
                found.setdefault((called.qualname, *(one.source for one in given.values())), given)
            if len(found) == _MOST:
                return tuple(found.values())
    return tuple(found.values())


def rows_of_calls(one: CallableFacts, calls: Iterable[Trial]) -> list[tuple[tuple[Parameter, Candidate], ...]]:
    """The arguments that calls of a method pass together, each call with all that it needs: what goes with what."""
    found: dict[tuple[str, ...], tuple[tuple[Parameter, Candidate], ...]] = {}
    for trial in calls:
        call = expression_or_none(trial.act) if trial.subject == one.qualname else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        row = whole_row(call, one, imports_by_name(trial))
        passed = {item.name for item, _ in row}
        if row and all(item.name in passed for item in one.needed):
            found.setdefault(tuple(candidate.source for _, candidate in row), row)
    return list(found.values())[:_MOST]
