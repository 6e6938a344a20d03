"""Recognises graphs by how the code walks through them: what a node is looked up by comes out of what it gives."""

from __future__ import annotations

from collections.abc import Callable

from ..model.domain import ParameterDomain
from .shape import Shape

DomainOf = Callable[["Shape | None"], ParameterDomain]


def graph_of(root: Shape, domain_of: DomainOf) -> ParameterDomain | None:
    """The graph that a shape is used as; None for other shapes.

    A node's neighbours are nodes: `for neighbour in graph[node]: visit(neighbour)` unifies both.
    """
    if root.index is None or root.item is None:
        return None
    node, item = root.index.root(), root.item.root()
    if item is root or node is root:
        return None
    style = _style(node, item)
    if style is None:
        return None
    numbered = node.kinds["integer"] > 0 and not root.kinds["dict"]
    if numbered and style == "list":
        style = "indexed"
    weight = _weight(item, style, domain_of)
    element = ParameterDomain("integer", source="use") if numbered or node.kinds["integer"] else None
    return ParameterDomain("graph", style=style, element=element, value=weight)


def _style(node: Shape, item: Shape) -> str | None:
    each = item.each.root() if item.each is not None else None
    inner = item.index.root() if item.index is not None else None
    if inner is node and (item.kinds["dict"] or each is node):
        return "mapping"
    if each is None:
        return None
    if each is node:
        return "mapping" if item.kinds["dict"] else "set" if item.kinds["set"] else "list"
    first = each.positions.get(0)
    second = each.positions.get(1)
    if first is not None and first.root() is node and second is not None:
        return "mapping" if item.kinds["dict"] else "pairs"
    return None


def _weight(item: Shape, style: str, domain_of: DomainOf) -> ParameterDomain | None:
    if style == "mapping":
        return domain_of(item.item)
    if style == "pairs" and item.each is not None:
        return domain_of(item.each.root().positions.get(1))
    return None
