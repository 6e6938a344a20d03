"""Generates expressions that build objects of the project's own classes."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from typing import Protocol

from ..model.candidates import Candidate, combined, distinct
from ..model.model import CallableFacts, ClassFacts, ModuleFacts, Parameter
from ..usage.project_index import ProjectIndex
from .arguments import argument_rows, rendered_arguments

_MAXIMUM_OBJECTS = 8


class ValueSource(Protocol):
    """The part of `values.Values` that this module uses; a protocol, because that module imports this one."""

    facts: ModuleFacts
    index: ProjectIndex

    def for_parameter(
        self, one: CallableFacts, parameter: Parameter, where: ModuleFacts | None = None, depth: int = 0
    ) -> tuple[Candidate, ...]:
        """Values for a parameter."""
        ...

    def of_class(self, where: ModuleFacts, owner: ClassFacts, depth: int = 0) -> list[Candidate]:
        """Objects of a class."""
        ...


def class_candidates(values: ValueSource, where: ModuleFacts, owner: ClassFacts, depth: int) -> list[Candidate]:
    """Expressions that build an object of a class, the simplest first; empty when none is known."""
    importing = (f"from {where.module} import {owner.name}",)
    if owner.kind == "enum":
        return [Candidate(f"{owner.name}.{name}", importing) for name, _ in owner.fields][:_MAXIMUM_OBJECTS]
    if owner.kind in ("abstract", "protocol"):  # only a subclass can be instantiated
        children = [
            subclass
            for subclass in values.index.subclasses(owner.name)
            if subclass[1].kind not in ("abstract", "protocol")
        ]
        return [item for child in children[:3] for item in values.of_class(*child, depth + 1)][:_MAXIMUM_OBJECTS]
    constructor = values.index.constructor(where, owner)
    if owner.kind == "typeddict":
        return _dictionaries(values, where, constructor, depth)
    if constructor is None:
        text = f"{owner.name}('message')" if owner.kind == "exception" else f"{owner.name}()"
        return [Candidate(text, importing), *_factories(values, where, owner, importing, depth)]
    pools = {
        parameter.name: values.for_parameter(constructor, parameter, where, depth)
        for parameter in constructor.parameters
    }
    rows = argument_rows(constructor, pools, limit=_MAXIMUM_OBJECTS)
    calls = [rendered_arguments(row) for row in rows]
    found = [combined(f"{owner.name}({inner.source})", [inner], importing) for inner in calls]
    return distinct([*found, *_factories(values, where, owner, importing, depth)], _MAXIMUM_OBJECTS + 2)


def _dictionaries(
    values: ValueSource, where: ModuleFacts, constructor: CallableFacts | None, depth: int
) -> list[Candidate]:
    if constructor is None:
        return [Candidate("{}")]
    pools = {one.name: values.for_parameter(constructor, one, where, depth) for one in constructor.parameters}
    found: list[Candidate] = []
    for row in argument_rows(constructor, pools, limit=4):
        text = ", ".join(f"{parameter.name!r}: {value.source}" for parameter, value in row)
        found.append(combined(f"{{{text}}}", (value for _, value in row)))
    return found


def _factories(
    values: ValueSource, where: ModuleFacts, owner: ClassFacts, importing: tuple[str, ...], depth: int
) -> list[Candidate]:
    """Calls of class and static methods that make objects: `Money.parse('1.50')`, `Tree.from_rows([...])`."""
    found: list[Candidate] = []
    for member in owner.members:
        returned = (member.returns or "").strip("'\"")
        makes = returned in ("Self", owner.name, "typing.Self") or re.match(
            r"(from|parse|of|create|make|new)_?", member.name
        )
        if member.kind not in ("classmethod", "staticmethod") or not makes or not member.public or member.is_async:
            continue
        pools = {
            parameter.name: values.for_parameter(member, parameter, where, depth + 1) for parameter in member.parameters
        }
        for row in argument_rows(member, pools, limit=2):
            inner = rendered_arguments(row)
            found.append(combined(f"{owner.name}.{member.name}({inner.source})", [inner], importing))
    return found[:4]


def variable_for(name: str, taken: Sequence[str] = ()) -> str:
    """A variable name for an object of a class: `shopping_cart` for `ShoppingCart`; never one in `taken`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name.strip("_")).lower()
    variable = words or "subject"
    if variable in _RESERVED or variable in taken or variable == name:
        variable = f"a_{variable}" if variable[:1].isalpha() else f"the_{variable}"
    return variable


_RESERVED = frozenset(keyword.kwlist) | frozenset(
    "list dict set tuple str int float bool bytes type object range slice iter next len map filter zip sum min max "
    "result format hash id input".split()
)
