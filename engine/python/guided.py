"""Mutations guided by comparisons that a trial met: what stood on one side is written where the other came from (B-06)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...utils.python_source import literal_value
from .literals import Place, literal_places, plain, with_source
from .model import Trial

_NOTHING = object()
_MAXIMUM_ELEMENTS = 5


def guided_mutations(trial: Trial, operands: Iterable[tuple[int, str, str]]) -> list[Trial]:
    """Trials in which a literal that took part in a comparison has the value of the other side, or one beside it.

    Args:
        operands: line and the two sides' reprs, as observed; sides that are no literals are passed over.
    """
    places = literal_places(trial)
    found: dict[tuple[str, ...], Trial] = {}
    for _, left, right in operands:
        sides = _value(left), _value(right)
        for mine, other in (sides, sides[::-1]):
            if mine is _NOTHING or other is _NOTHING:
                continue
            for place in places:
                for source in _replacements(place, mine, other):
                    changed = with_source(trial, place, source)
                    found.setdefault((changed.act, *changed.arrange), changed)
    return list(found.values())


def _value(text: str) -> Any:
    try:
        return literal_value(text)
    except ValueError:
        return _NOTHING


def _replacements(place: Place, mine: Any, other: Any) -> Iterator[str]:
    """What to write for a place's value so that `mine` becomes `other`, or falls to its other side."""
    value = place.value
    for target in _targets(other):
        for made in _made(value, mine, target):
            source = plain(made)
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
    if type(value) is type(mine) and value == mine:
        return [target]
    if isinstance(value, str):
        if isinstance(mine, str) and isinstance(target, str) and mine and mine in value:
            return [value.replace(mine, target, 1)]
        if isinstance(mine, str) and isinstance(target, str) and mine and mine.lower() == value.lower():
            return [target]
        if isinstance(mine, int) and isinstance(target, int) and not isinstance(mine, bool):
            if len(value) == mine and 0 <= target <= 200:
                return [(value or "a") * target if len(value) < 2 else (value * (target // len(value) + 1))[:target]]
            if str(mine) in value and mine != target:
                return [value.replace(str(mine), str(target), 1)]
    if isinstance(value, list | tuple) and isinstance(mine, int) and isinstance(target, int):
        if len(value) == mine and 0 <= target <= 40 and not isinstance(mine, bool):
            items = list(value) or [1]
            return [type(value)((items * (target // len(items) + 1))[:target])]
    if isinstance(value, int | float) and isinstance(mine, int | float) and isinstance(target, int | float):
        if not isinstance(value, bool) and not isinstance(mine, bool) and value and abs(mine) == abs(value):
            return [-target if mine == -value else target]
        if mine and not isinstance(value, bool) and value and isinstance(value, int) and mine not in (value, 0):
            scaled = target * value / mine
            return [int(scaled)] if abs(scaled) < 10**15 else []
    return []
