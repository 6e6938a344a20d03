"""Finds the classes that are not to be called: "Do not instantiate directly, use the factory function `pvector`".

What such a class is given are the parts of its inside, which only the functions that make its objects put together.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ....utils.graphs import reachable
from ....utils.python_names import last_name
from ..model.model import CallableFacts, ClassFacts, Documentation

_MADE = r"(?:instantiated?|constructe?d?|created?)"
_FORBIDDING = re.compile(
    r"\b(?:do not|don't|never|should not|shouldn't|must not|is not|are not|not (?:meant|intended|supposed) to)(?: be)? "
    rf"(?:(?:meant|intended|supposed) to be )?{_MADE}\b[^.]{{0,40}}?\b(?:directly|by hand|yourself)\b"
    r"|\b(?:do not|don't|never|not (?:meant|intended|supposed) to(?: be)?|should not be|must not be) "
    rf"directly {_MADE}\b",
    re.IGNORECASE,
)


def forbids_calls(documentation: Documentation) -> bool:
    """Whether a class says that its objects are made by functions: "Do not instantiate directly, use `pdeque`"."""
    return _FORBIDDING.search(" ".join(documentation.text.split())) is not None


def with_makers(
    classes: Iterable[ClassFacts], functions: Iterable[CallableFacts], statements: Sequence[ast.stmt]
) -> Iterator[ClassFacts]:
    """Generates the classes; those that documents forbid to call with the public functions that make their objects.

    What is said of a class holds for those that derive from it, or are registered with it, and say nothing themselves.
    """
    owners = {owner.name: owner for owner in classes}
    registered = _registered(statements)
    above = {
        name: [*(base.partition("[")[0] for base in owner.bases), *registered.get(name, ())]
        for name, owner in owners.items()
    }
    public = [one.name for one in functions if one.public]
    for name, owner in owners.items():
        said = _what_is_said(name, owners, above)
        if said is None:
            yield owner
            continue
        words = set(re.findall(r"\w+", said.text))
        yield replace(owner, makers=tuple(one for one in public if one in words))


def _what_is_said(
    name: str, owners: Mapping[str, ClassFacts], above: Mapping[str, Sequence[str]]
) -> Documentation | None:
    """The documentation that forbids to call a class; None where none does."""
    own = owners[name].documentation
    if own.text:
        return own if forbids_calls(own) else _said_of_registered(own, name, owners, above)
    return _said_above(name, owners, above)


def _said_of_registered(
    own: Documentation, name: str, owners: Mapping[str, ClassFacts], above: Mapping[str, Sequence[str]]
) -> Documentation | None:
    """What is said of the abstract class that a class without examples of its own stands behind."""
    if own.examples:
        return None
    registered = {base for base in above[name] if all(base != one.partition("[")[0] for one in owners[name].bases)}
    said = [owners[base].documentation for base in sorted(registered) if base in owners]
    return next((one for one in said if forbids_calls(one)), None)


def _said_above(
    name: str, owners: Mapping[str, ClassFacts], above: Mapping[str, Sequence[str]]
) -> Documentation | None:
    lineage = reachable([name], lambda one: (base for base in above.get(one, ()) if base in owners))
    said = [owners[one].documentation for one in lineage[1:] if owners[one].documentation.text]
    return said[0] if said and forbids_calls(said[0]) else None


def _registered(statements: Sequence[ast.stmt]) -> dict[str, list[str]]:
    """The classes that others are registered with, by the names of these: `PVector.register(PythonPVector)`."""
    found: dict[str, list[str]] = {}
    for statement in statements:
        if isinstance(statement, ast.ClassDef):
            for node in statement.decorator_list:
                base = _registering(node)
                if base:
                    found.setdefault(statement.name, []).append(base)
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and len(call.args) == 1 and isinstance(call.args[0], ast.Name):
            base = _registering(call.func)
            if base:
                found.setdefault(call.args[0].id, []).append(base)
    return found


def _registering(node: ast.expr) -> str:
    """The class whose `register` an expression is; empty for others."""
    return last_name(node.value) if isinstance(node, ast.Attribute) and node.attr == "register" else ""
