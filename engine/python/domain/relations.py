"""Relations between the parameters of one callable: an index into another one, a member of it, of the same length."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ..model.domain import ParameterDomain, Precondition, PreconditionKind
from .shapes import Shape

_CONTAINERS = frozenset({"sequence", "text", "mapping", "graph", "set", "matrix"})
_PLACES = re.compile(r"(lo|low|left|start|begin|first|l|i|hi|high|right|end|last|r|j|mid|index|idx|pos|position|k)\d?")


def with_relations(domains: Mapping[str, ParameterDomain], shapes: Mapping[str, Shape]) -> dict[str, ParameterDomain]:
    """Adds to each domain the relation to the first other parameter that it has one to."""
    return {name: _related(name, domain, domains, shapes) for name, domain in domains.items()}


def _related(
    name: str, domain: ParameterDomain, domains: Mapping[str, ParameterDomain], shapes: Mapping[str, Shape]
) -> ParameterDomain:
    shape = shapes.get(name)
    guessed = domain.source in ("name", "none", "default")
    if shape is None or (
        not guessed and (domain.kind in _CONTAINERS - {"text"} or domain.kind in ("object", "callable"))
    ):
        return domain
    for other, container in domains.items():
        kind = _relation(name, shape, container, shapes[other]) if other != name and other in shapes else None
        if kind is not None:
            found = domain
            if guessed:
                # A member is what the members are.
                inner = ParameterDomain("integer") if kind == "index into" else container.key or container.element
                found = inner or ParameterDomain("any")
                found = replace(
                    found,
                    source="use" if found.kind != "any" else "none",
                    optional=domain.optional,
                    lines=container.lines,
                )
            return replace(found, preconditions=(*found.preconditions, Precondition(kind, other)))
    return domain


def _relation(name: str, shape: Shape, container: ParameterDomain, other: Shape) -> PreconditionKind | None:
    if container.kind not in _CONTAINERS:
        return None
    root, whole = shape.root(), other.root()
    inside = {part.root() for part in (whole.each, whole.item) if part is not None}
    if container.kind in ("mapping", "graph"):
        keys = {part.root() for part in (whole.each, whole.index) if part is not None}
        return "member of" if root in keys else None
    if whole.index is not None and whole.index.root() is root and root not in inside and _PLACES.fullmatch(name):
        return "index into"
    return "member of" if root in inside and container.kind != "matrix" else None
