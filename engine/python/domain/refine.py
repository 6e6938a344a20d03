"""Combines two domains of one parameter: the stronger evidence decides the kind, the weaker fills what it left open."""

from __future__ import annotations

from dataclasses import replace

from ..model.domain import ParameterDomain

# A kind, and the narrower kinds that weaker evidence may make of it.
_NARROWER: dict[str, frozenset[str]] = {
    "sequence": frozenset({"matrix", "graph", "tuple", "text", "sequence"}),
    "mapping": frozenset({"graph"}),
    "matrix": frozenset({"matrix"}),
}


def refined(strong: ParameterDomain, weak: ParameterDomain) -> ParameterDomain:
    """The domain of the stronger evidence, with what only the weaker one says.

    Kinds that contradict each other leave the stronger one as it is.
    """
    if strong.kind == "union" and (weak.source == "use" or weak.requires("digits")):
        return _with_first(strong, weak)
    if weak.kind == "any":
        return replace(strong, optional=strong.optional or weak.optional)
    if strong.kind == "any":
        return replace(weak, optional=strong.optional or weak.optional)
    if strong.kind != weak.kind:
        if weak.kind in _NARROWER.get(strong.kind, ()) and _is_open(strong, weak):
            # Prose that agrees with the code is as good as a parameter section.
            source = strong.source if weak.strong else "docstring" if weak.source == "prose" else weak.source
            return replace(weak, source=source, optional=strong.optional, lines=strong.lines)
        return strong
    return replace(
        strong,
        type_name=strong.type_name or weak.type_name,
        module=strong.module or weak.module,
        element=_both(strong.element, weak.element),
        key=_both(strong.key, weak.key),
        value=_both(strong.value, weak.value),
        fields=strong.fields or weak.fields,
        links=strong.links or weak.links,
        choices=strong.choices or weak.choices,
        words=strong.words or weak.words,
        parts=strong.parts or weak.parts,
        samples=strong.samples or weak.samples,
        arity=weak.arity if strong.arity in (None, -1) else strong.arity,
        length=strong.length if strong.length is not None else weak.length,
        minimum=strong.minimum if strong.minimum is not None else weak.minimum,
        maximum=strong.maximum if strong.maximum is not None else weak.maximum,
        preconditions=tuple(dict.fromkeys((*strong.preconditions, *weak.preconditions))),
        optional=strong.optional or weak.optional,
        style=strong.style or weak.style,
    )


def _with_first(union: ParameterDomain, weak: ParameterDomain) -> ParameterDomain:
    """The union with the alternative first that weaker evidence speaks for; a number, where a text must be one."""
    numbers = {"integer", "real"} if weak.requires("digits") else set[str]()
    members = [refined(one, weak) if one.kind == weak.kind else one for one in union.alternatives]
    members.sort(key=lambda one: 0 if one.kind in numbers else 1 if one.kind == weak.kind else 2)
    return replace(union, alternatives=tuple(members), optional=union.optional or weak.optional)


def _is_open(domain: ParameterDomain, narrower: ParameterDomain) -> bool:
    """Whether a domain leaves open what its items are, and may be the narrower one."""
    parts = (domain.element, domain.key, domain.value)
    if narrower.kind == "text" and domain.type_name == "list":
        return False
    return all(part is None or part.kind == "any" for part in parts)


def _both(strong: ParameterDomain | None, weak: ParameterDomain | None) -> ParameterDomain | None:
    if strong is None or weak is None:
        return strong or weak
    return refined(strong, weak)
