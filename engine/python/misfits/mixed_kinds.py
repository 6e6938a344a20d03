"""Tells calls that pass two kinds of values for what plays the same part: `is_before((), [5, 9])`.

That a tuple is no list decides what comes of them, and not what the function does with either.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ..domain.arguments import Argument
from ..domain.contains import Kinds
from ..source.annotations import type_hint
from ..source.counterparts import counterpart_names

_ITEMS = (ast.List, ast.Tuple, ast.Set)
_NUMBERS = frozenset({"int", "float", "bool"})
_ANY_COLLECTION = frozenset({"Sequence", "Collection", "Iterable", "Container", "Reversible", "Sized"})


def mixes_kinds(arguments: Iterable[Argument], kinds: Kinds) -> bool:
    """Whether two arguments of a call that play the same part are collections of two types, or of two kinds of item."""
    by_call: dict[int, dict[str, Argument]] = {}
    for one in arguments:
        by_call.setdefault(one.call, {})[one.parameter] = one
    for passed in by_call.values():
        called = next(iter(passed.values())).called
        names = counterpart_names(called)
        pair = [passed[name] for name in names if name in passed]
        if len(pair) == 2 and pair[0].domain.kind == pair[1].domain.kind and _differ(pair[0], pair[1], kinds):
            return True
    return False


def _differ(first: Argument, second: Argument, kinds: Kinds) -> bool:
    mine, others = first.value, second.value
    if first.domain.kind == "sequence" and {kinds.kind(mine), kinds.kind(others)} & {"str", "bytes"}:
        return kinds.kind(mine) != kinds.kind(others) and "" not in (kinds.kind(mine), kinds.kind(others))
    if not isinstance(mine, _ITEMS) or not isinstance(others, _ITEMS):
        return False
    if type(mine) is not type(others):
        return not (_takes_any_collection(first) or _takes_any_collection(second))
    here, there = _kinds_of_items(mine, kinds), _kinds_of_items(others, kinds)
    return bool(here and there) and here != there and "" not in here | there


def _takes_any_collection(one: Argument) -> bool:
    """Whether an annotation says that any type of collection is taken."""
    annotation = one.declared.annotation if one.declared is not None else None
    return type_hint(annotation).name in _ANY_COLLECTION


def _kinds_of_items(node: ast.List | ast.Tuple | ast.Set, kinds: Kinds) -> set[str]:
    # None stands for what is missing, whatever the others are.
    found = {kinds.kind(item) for item in node.elts} - {"None"}
    return {"number" if one in _NUMBERS else one for one in found}
