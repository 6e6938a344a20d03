"""Domains from values that are known to be passed in doctests, documents, tests and code: their shapes, joined."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from ....utils.python_names import last_name
from ....utils.python_source import literal_or
from ..model.domain import UNKNOWN, ParameterDomain, Precondition
from ..model.model import Candidate
from ..source.annotations import TypeHint
from ..source.import_block import read_imports
from .from_types import ClassLookup, domain_of_class, domain_of_hint

_MAXIMUM_ITEMS = 40
_MAXIMUM_DEPTH = 5
_ENOUGH = 3
_SORTED_LISTS = 2
_LEAST_SORTED = 4
_FUNCTIONS = frozenset(
    "abs all any ascii bin callable chr hash hex id iter len max min oct ord repr round sorted sum".split()
)
_CONTAINERS = {"list": "sequence", "tuple": "sequence", "deque": "sequence", "set": "set", "frozenset": "set"}


def domain_of_values(nodes: Sequence[ast.expr], look_up: ClassLookup) -> ParameterDomain:
    """The domain that several values have in common; `UNKNOWN` where they say nothing."""
    found = join_all([domain_of_literal(node, look_up) for node in nodes])
    if found.kind != "sequence":
        return found
    if _are_sorted(nodes):
        found = replace(found, preconditions=(*found.preconditions, Precondition("sorted")))
    # The length of a single list is chance; what many have in common is not.
    return replace(found, length=None) if len(nodes) < _ENOUGH else found


def _are_sorted(nodes: Sequence[ast.expr]) -> bool:
    """Whether several lists of several numbers each are all in ascending order, which is hardly chance."""
    lists = [literal_or(node, None) for node in nodes]
    rows = [row for row in lists if isinstance(row, list | tuple) and len(row) >= _LEAST_SORTED]
    numbers = all(type(item) in (int, float) for row in rows for item in row)
    return len(rows) == len(lists) >= _SORTED_LISTS and numbers and all(list(row) == sorted(row) for row in rows)


def is_library_function(value: Candidate) -> bool:
    """Whether a value is the name of a function: `len`, or `neg` that is imported from `operator`."""
    bound = {binding.bound: binding.module for binding in read_imports(value.imports) if binding.name is not None}
    return bound.get(value.source) == "operator" or (value.source not in bound and value.source in _FUNCTIONS)


def domain_of_literal(node: ast.expr, look_up: ClassLookup, depth: int = 0) -> ParameterDomain:
    """The narrowest domain of one value."""
    if depth > _MAXIMUM_DEPTH:
        return UNKNOWN
    if isinstance(node, ast.Constant):
        return _of_constant(node)
    if isinstance(node, ast.UnaryOp):
        return domain_of_literal(node.operand, look_up, depth)
    if isinstance(node, ast.JoinedStr):
        return ParameterDomain("text")
    if isinstance(node, ast.Lambda):
        return ParameterDomain("callable", arity=len(node.args.args))
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        items = [domain_of_literal(item, look_up, depth + 1) for item in node.elts[:_MAXIMUM_ITEMS]]
        return _of_items(node, items)
    if isinstance(node, ast.Dict):
        keys = [domain_of_literal(key, look_up, depth + 1) for key in node.keys[:_MAXIMUM_ITEMS] if key is not None]
        values = [domain_of_literal(value, look_up, depth + 1) for value in node.values[:_MAXIMUM_ITEMS]]
        return _of_pairs(node, keys, values)
    if isinstance(node, ast.Call):
        return _of_call(node, look_up, depth)
    return UNKNOWN


def _of_constant(node: ast.Constant) -> ParameterDomain:
    value = node.value
    if value is None:
        return ParameterDomain("none")
    if isinstance(value, bool):
        return ParameterDomain("boolean")
    if isinstance(value, int):
        return ParameterDomain("integer")
    if isinstance(value, float | complex):
        return ParameterDomain("real")
    return ParameterDomain("text") if isinstance(value, str) else ParameterDomain("bytes")


def _of_items(node: ast.List | ast.Tuple | ast.Set, items: list[ParameterDomain]) -> ParameterDomain:
    if isinstance(node, ast.Set):
        return ParameterDomain("set", type_name="set", element=join_all(items) if items else None)
    name = type(node).__name__.lower()
    if isinstance(node, ast.Tuple) and items and len(items) <= 4:
        fields = tuple((str(at), item) for at, item in enumerate(items))
        return ParameterDomain("tuple", type_name="tuple", fields=fields, length=len(items))
    element = join_all(items) if items else None
    if element is not None and element.kind == "sequence" and len(items) < 2:
        element = replace(element, length=None)
    return ParameterDomain("sequence", type_name=name, element=element, length=len(items) or None)


def _of_pairs(node: ast.Dict, keys: list[ParameterDomain], values: list[ParameterDomain]) -> ParameterDomain:
    texts = [key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
    kinds = {value.kind for value in values}
    if texts and len(texts) == len(node.keys) == len(values) and len(kinds) > 1:
        # Values of several kinds below texts: a record.
        fields = tuple(zip(texts, values, strict=True))
        return ParameterDomain("mapping", type_name="dict", key=ParameterDomain("text"), fields=fields)
    return ParameterDomain(
        "mapping",
        type_name="dict",
        key=join_all(keys) if keys else None,
        value=join_all(values) if values else None,
    )


def _of_call(node: ast.Call, look_up: ClassLookup, depth: int) -> ParameterDomain:
    name = last_name(node.func)
    found = look_up(name)
    if found is not None:
        return domain_of_class(*found, look_up)
    if name in _CONTAINERS:
        inner = domain_of_literal(node.args[0], look_up, depth + 1) if node.args else UNKNOWN
        kind = "set" if _CONTAINERS[name] == "set" else "sequence"
        return ParameterDomain(kind, type_name=name, element=inner.element)
    if name == "iter" and node.args:
        return ParameterDomain("iterator", element=domain_of_literal(node.args[0], look_up, depth + 1).element)
    if name[:1].isupper() or name in ("date", "datetime", "timedelta"):
        return domain_of_hint(TypeHint(name), look_up)
    return UNKNOWN


def join_all(domains: Sequence[ParameterDomain]) -> ParameterDomain:
    """The smallest domain that contains all; `UNKNOWN` for none or for kinds that share nothing."""
    if not domains:
        return UNKNOWN
    found = domains[0]
    for domain in domains[1:]:
        found = join(found, domain)
    return found


def join(left: ParameterDomain, right: ParameterDomain) -> ParameterDomain:
    """The smallest domain that contains both."""
    if left == right:
        return left
    if left.kind == "none" or right.kind == "none":
        return replace(right if left.kind == "none" else left, optional=True)
    if left.kind == "any" or right.kind == "any":
        return UNKNOWN
    pair = {left.kind, right.kind}
    if pair == {"integer", "real"}:
        return ParameterDomain("real", optional=left.optional or right.optional)
    if pair == {"tuple", "sequence"}:
        return join(_as_sequence(left), _as_sequence(right))
    if left.kind != right.kind or left.kind == "union":
        members = tuple(dict.fromkeys((*(left.alternatives or (left,)), *(right.alternatives or (right,)))))
        if any(one.kind == "real" for one in members):
            members = tuple(one for one in members if one.kind != "integer")
        optional = left.optional or right.optional or any(one.optional for one in members)
        members = tuple(dict.fromkeys(replace(one, optional=False) for one in members))
        if len(members) == 1:
            return replace(members[0], optional=optional)
        return ParameterDomain("union", alternatives=members, optional=optional) if len(members) <= 3 else UNKNOWN
    if left.kind == "tuple" and left.length != right.length:
        return join(_as_sequence(left), _as_sequence(right))
    names = [name for name, _ in left.fields if name in {other for other, _ in right.fields}]
    mine, theirs = dict(left.fields), dict(right.fields)
    return replace(
        left,
        type_name=left.type_name if left.type_name == right.type_name else "",
        element=_joined(left.element, right.element),
        key=_joined(left.key, right.key),
        value=_joined(left.value, right.value),
        fields=tuple((name, join(mine[name], theirs[name])) for name in names),
        length=left.length if left.length == right.length else None,
        optional=left.optional or right.optional,
        arity=left.arity if left.arity == right.arity else -1,
        choices=tuple(dict.fromkeys((*left.choices, *right.choices))) if left.choices and right.choices else (),
    )


def _joined(left: ParameterDomain | None, right: ParameterDomain | None) -> ParameterDomain | None:
    # An empty container says nothing about its items.
    if left is None or right is None:
        return left or right
    return join(left, right)


def _as_sequence(domain: ParameterDomain) -> ParameterDomain:
    if domain.kind != "tuple":
        return domain
    inner = join_all([field for _, field in domain.fields])
    return ParameterDomain("sequence", type_name="tuple", element=inner, length=domain.length)
