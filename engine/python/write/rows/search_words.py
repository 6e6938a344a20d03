"""Describes rows in which something is looked for in a list, or a list is indexed: `first_item`, `above_all`."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Mapping, Sequence

from .....utils.python_source import literal_or
from ...source.titles import has_digit
from ..value_features import distinct_words, item_count, number_of

_SOUGHT = re.compile(r"(\w+_)?(key|target|item|element|elem|needle|member|val|value|sought|wanted|x)")
# How many items a list has at least whose gaps are compared, and by how much they differ.
_FEWEST_SPREAD, _MUCH = 4, 10


def search_words(cells: Mapping[str, Sequence[ast.expr]]) -> list[str]:
    """Says for each row where what is looked for stands among the items; nothing unless that tells all rows apart.

    Args:
        cells: the values of a table's given columns, by the columns' names.
    """
    sought = [name for name, nodes in cells.items() if _SOUGHT.fullmatch(name) and all(map(_is_scalar, nodes))]
    lists = [name for name, nodes in cells.items() if all(isinstance(node, ast.List | ast.Tuple) for node in nodes)]
    if len(sought) != 1 or len(lists) != 1 or len(cells) != 2:
        return []
    pairs = [
        (literal_or(items, None), literal_or(value, None))
        for items, value in zip(cells[lists[0]], cells[sought[0]], strict=True)
    ]
    places = [_place(list(items), value) if isinstance(items, list | tuple) else "" for items, value in pairs]
    if not all(places) or not any(value in items for items, value in pairs if isinstance(items, list | tuple)):
        return []
    words = list(places)
    for place in set(places):
        rows = [at for at, one in enumerate(places) if one == place]
        if len(rows) > 1:  # what sets their lists apart tells them apart
            for at, items in zip(rows, _apart([cells[lists[0]][at] for at in rows]), strict=True):
                words[at] = f"{place}_{items}".rstrip("_")
    return words if len(set(words)) == len(words) and not any(map(has_digit, words)) else []


def index_words(cells: Mapping[str, Sequence[ast.expr]]) -> list[str]:
    """Says for each row where its index points in its list: `last_item`, `past_end`; nothing unless that tells all.

    Args:
        cells: the values of a table's given columns, by the columns' names: a list, and a number.
    """
    lists = [nodes for nodes in cells.values() if all(isinstance(node, ast.List | ast.Tuple) for node in nodes)]
    numbers = [[number_of(node) for node in nodes] for nodes in cells.values()]
    indexes = [one for one in numbers if all(isinstance(number, int) for number in one)]
    if len(cells) != 2 or len(lists) != 1 or len(indexes) != 1:
        return []
    words = [_pointed(item_count(items), int(at or 0)) for items, at in zip(lists[0], indexes[0], strict=True)]
    return words if len(set(words)) == len(words) else []


def _pointed(size: int, at: int) -> str:
    if at >= size:
        return "empty" if not size else "just_past_end" if at == size else "past_end"
    if at < -size:
        return "empty" if not size else "before_start"
    place = {0: "first_item", size - 1: "last_item"}.get(at % size, "inner_item")
    return f"{place}_from_end" if at < 0 else place


def _apart(lists: Sequence[ast.expr]) -> list[str]:
    """Describes lists by what sets them apart; two of different lengths by these."""
    crowded = [_crowded(one) for one in lists]
    if len(set(crowded)) == len(lists):
        return crowded
    found = distinct_words(lists)
    if len(lists) == 2 and any(map(has_digit, found)) and item_count(lists[0]) != item_count(lists[1]):
        return ["longer", "shorter"] if item_count(lists[0]) > item_count(lists[1]) else ["shorter", "longer"]
    return found


def _crowded(node: ast.expr) -> str:
    """On which side ascending numbers are much closer together than on the other; empty where on none."""
    items = literal_or(node, None)
    if not isinstance(items, list | tuple) or len(items) < _FEWEST_SPREAD or not all(type(one) is int for one in items):
        return ""
    gaps = [second - first for first, second in itertools.pairwise(items)]
    if min(gaps) <= 0:
        return ""
    half = len(gaps) // 2
    below, above = max(gaps[:half]), max(gaps[-half:])
    return "crowded_above" if below > _MUCH * above else "crowded_below" if above > _MUCH * below else ""


def _place(items: Sequence[object], value: object) -> str:
    if not items:
        return "nothing_to_find"
    if value in items:
        at = items.index(value)
        if len(items) == 1:
            return "only_item"
        if items.count(value) > 1:
            return "repeated_item"
        return "first_item" if at == 0 else "last_item" if at == len(items) - 1 else "inner_item"
    numbers = [item for item in (*items, value) if isinstance(item, int | float) and not isinstance(item, bool)]
    if len(numbers) != len(items) + 1:
        return "missing_item"
    return "below_all" if numbers[-1] < min(numbers[:-1]) else "above_all" if numbers[-1] > max(numbers[:-1]) else "gap"


def _is_scalar(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) or (isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant))
