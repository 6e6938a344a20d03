"""Mutates literals by observed comparisons: writes one operand where the other one came from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from ....utils.python_source import literal_value
from ..model.model import Trial
from ..source.literals import LiteralSpan, literal_places, plain, with_source

_NOTHING = object()
_MAXIMUM_ELEMENTS = 5
_LONGEST_TEXT = 200
_MAXIMUM_PLACED = 4
_LONGEST_LIST = 40
_LARGEST_NUMBER = 10**15


def guided_mutations(trial: Trial, operands: Iterable[tuple[int, str, str]]) -> list[Trial]:
    """Returns trials in which a literal that took part in a comparison has the other side's value or a neighbour of it.

    Args:
        operands: line and the reprs of both sides, as observed; sides that are no literals are skipped.
    """
    places = literal_places(trial)
    found: dict[tuple[str, ...], Trial] = {}
    turns = [_for_comparison(trial, places, left, right) for _, left, right in operands]
    while turns:  # round robin: a single comparison of texts would otherwise fill the list
        left_over: list[Iterator[Trial]] = []
        for turn in turns:
            changed = next(turn, None)
            if changed is not None:
                left_over.append(turn)
                found.setdefault((changed.act, *changed.arrange), changed)
        turns = left_over
    return list(found.values())


def _for_comparison(trial: Trial, places: list[LiteralSpan], left: str, right: str) -> Iterator[Trial]:
    sides = _value(left), _value(right)
    for mine, other in (sides, sides[::-1]):
        if mine is _NOTHING or other is _NOTHING:
            continue
        for place in places:
            for source in _replacements(place, mine, other):
                yield with_source(trial, place, source)


@lru_cache(maxsize=4096)
def _value(text: str) -> Any:
    """Returns the value of a recorded operand. Cached: the same few recur, and callers never change them."""
    try:
        return literal_value(text)
    except ValueError:
        return _NOTHING


def _replacements(place: LiteralSpan, mine: Any, other: Any) -> Iterator[str]:
    """Generates sources for a place so that `mine` becomes `other` or a neighbour of it."""
    value = place.value
    for target in _targets(other):
        for changed in _transfers(value, mine, target):
            source = plain(changed, max(160, len(place.source) + 60))
            if source is not None and changed is not _NOTHING:
                yield source


def _targets(other: Any) -> list[Any]:
    """Returns values to reach: the other side, a number's neighbours, or a container's first elements."""
    if isinstance(other, bool):
        return [other]
    if isinstance(other, int | float):
        return [other, other + 1, other - 1]
    if isinstance(other, list | tuple | set | frozenset | dict):
        items = sorted(other, key=repr) if isinstance(other, set | frozenset) else list(other)
        return [other, *items[:_MAXIMUM_ELEMENTS]]
    return [other]


def _transfers(value: Any, mine: Any, target: Any) -> list[Any]:
    """Returns changed values whose derived `mine` becomes `target`; empty where `mine` was not derived from `value`."""
    if type(value) is type(mine) and value == mine:
        return [target]
    if isinstance(value, str):
        return _text_transfers(value, mine, target)
    if not _is_number(mine) or not _is_number(target):
        return []
    if isinstance(value, list | tuple):
        return _resized(value, target) if len(value) == mine else []
    return _scaled(value, mine, target) if _is_number(value) and value and mine else []


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text_transfers(value: str, mine: Any, target: Any) -> list[Any]:
    if isinstance(mine, str) and isinstance(target, str):
        if mine in value:
            return _placed(value, mine, target)
        return [target] if mine.lower() == value.lower() else []
    if isinstance(mine, int) and isinstance(target, int) and _is_number(mine):
        # The compared number is the text's length, or stands in the text as digits.
        if len(value) == mine and 0 <= target <= _LONGEST_TEXT:
            return [((value or "a") * (target // max(1, len(value)) + 1))[:target]]
        if str(mine) in value and mine != target:
            return [value.replace(str(mine), str(target), 1)]
    return []


def _placed(value: str, mine: str, target: str) -> list[Any]:
    """Returns the text with the target in place of `mine`, at the end and before `mine`; an empty `mine` is the end."""
    if not mine:
        return [value + target]
    at = [match.start() for match in re.finditer(re.escape(mine), value)]
    found = [value[:one] + target + value[one + len(mine) :] for one in at[:1]]
    found.append(value + target)
    found.extend(value[:one] + target + value[one + len(mine) :] for one in at[:-_MAXIMUM_PLACED:-1])
    found.extend(value[:one] + target + value[one:] for one in at[:-_MAXIMUM_PLACED:-1])
    return list(dict.fromkeys(found))


def _resized(value: list[Any] | tuple[Any, ...], size: Any) -> list[Any]:
    if not isinstance(size, int) or not 0 <= size <= _LONGEST_LIST:
        return []
    items = list(value) or [1]
    return [type(value)((items * (size // len(items) + 1))[:size])]


def _scaled(value: Any, mine: Any, target: Any) -> list[Any]:
    """Returns the number that becomes `target` if `value` became `mine` by a sign change or a factor."""
    if abs(mine) == abs(value):
        return [-target if mine == -value else target]
    if not isinstance(value, int) or mine != mine or target != target:  # NaN differs from itself
        return []
    scaled = target * value / mine
    return [int(scaled)] if abs(scaled) < _LARGEST_NUMBER else []
