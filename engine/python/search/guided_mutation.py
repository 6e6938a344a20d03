"""Mutations guided by comparisons a trial met: one side is written where the other side came from (B-06)."""

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
    """Trials in which a literal that took part in a comparison has the value of the other side, or one beside it.

    Args:
        operands: line and the two sides' reprs, as observed; sides that are no literals are passed over.
    """
    places = literal_places(trial)
    found: dict[tuple[str, ...], Trial] = {}
    turns = [_for_one(trial, places, left, right) for _, left, right in operands]
    while turns:  # one for each comparison, then second ones: a comparison of texts has many
        left_over: list[Iterator[Trial]] = []
        for turn in turns:
            changed = next(turn, None)
            if changed is not None:
                left_over.append(turn)
                found.setdefault((changed.act, *changed.arrange), changed)
        turns = left_over
    return list(found.values())


def _for_one(trial: Trial, places: list[LiteralSpan], left: str, right: str) -> Iterator[Trial]:
    sides = _value(left), _value(right)
    for mine, other in (sides, sides[::-1]):
        if mine is _NOTHING or other is _NOTHING:
            continue
        for place in places:
            for source in _replacements(place, mine, other):
                yield with_source(trial, place, source)


@lru_cache(maxsize=4096)
def _value(text: str) -> Any:
    """What a noted side means; the same few come again and again, and nobody changes them."""
    try:
        return literal_value(text)
    except ValueError:
        return _NOTHING


def _replacements(place: LiteralSpan, mine: Any, other: Any) -> Iterator[str]:
    """What to write for a place's value so that `mine` becomes `other`, or falls to its other side."""
    value = place.value
    for target in _targets(other):
        for made in _made(value, mine, target):
            source = plain(made, max(160, len(place.source) + 60))
            if source is not None and made is not _NOTHING:
                yield source


def _targets(other: Any) -> list[Any]:
    """The values worth meeting: the other side, its neighbours when it is a number, its elements when a container."""
    if isinstance(other, bool):
        return [other]
    if isinstance(other, int | float):
        return [other, other + 1, other - 1]
    if isinstance(other, list | tuple | set | frozenset | dict):
        items = sorted(other, key=repr) if isinstance(other, set | frozenset) else list(other)
        return [other, *items[:_MAXIMUM_ELEMENTS]]
    return [other]


def _made(value: Any, mine: Any, target: Any) -> list[Any]:
    """The value with `mine`, which came from it, turned into `target`; empty when it did not come from it."""
    if type(value) is type(mine) and value == mine:
        return [target]
    if isinstance(value, str):
        return _text_made(value, mine, target)
    if not _is_number(mine) or not _is_number(target):
        return []
    if isinstance(value, list | tuple):
        return _resized(value, target) if len(value) == mine else []
    return _scaled(value, mine, target) if _is_number(value) and value and mine else []


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text_made(value: str, mine: Any, target: Any) -> list[Any]:
    if isinstance(mine, str) and isinstance(target, str):
        if mine in value:
            return _placed(value, mine, target)
        return [target] if mine.lower() == value.lower() else []
    if isinstance(mine, int) and isinstance(target, int) and _is_number(mine):
        if len(value) == mine and 0 <= target <= _LONGEST_TEXT:
            return [((value or "a") * (target // max(1, len(value)) + 1))[:target]]
        if str(mine) in value and mine != target:
            return [value.replace(str(mine), str(target), 1)]
    return []


def _placed(value: str, mine: str, target: str) -> list[Any]:
    """The target where `mine` stood, at its end and before it; an empty `mine` is the end of the text."""
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
    """The number that becomes `target` where `value` became `mine`, if what happened between was a sign or a factor."""
    if abs(mine) == abs(value):
        return [-target if mine == -value else target]
    if not isinstance(value, int) or mine != mine or target != target:
        return []
    scaled = target * value / mine
    return [int(scaled)] if abs(scaled) < _LARGEST_NUMBER else []
