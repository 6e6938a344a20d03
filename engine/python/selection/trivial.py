"""Finds trivial implementations that a callable's rows would not tell from the real one.

A constant, one of the arguments, a length, minimum or maximum of an argument, an empty result: where one of them gives
every expected answer, the rows show next to nothing. Rule 6 of a strict review; the gate runs the same check on code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .representative import NO_RESULT, Representation

_MEASURES: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("len", len),
    ("min", min),
    ("max", max),
)
_MOST_ARGUMENTS = 6
_SEVERAL = 3


def trivial_survivors(rows: Sequence[Representation]) -> frozenset[str]:
    """Names the trivial implementations that give the answer of every row; empty where a row has no literal answer.

    Rows whose arguments are no literals count for the constant only.
    """
    answers = [row.result for row in rows]
    if not rows or any(answer is NO_RESULT for answer in answers):
        return frozenset()
    found = {"constant"} if all(_same(answer, answers[0]) for answer in answers) else set()
    width = min((len(row.arguments) if row.arguments is not None else 0 for row in rows), default=0)
    for at in range(min(width, _MOST_ARGUMENTS)):
        arguments = [row.arguments[at] for row in rows if row.arguments is not None]
        if all(_same(answer, argument) for answer, argument in zip(answers, arguments, strict=True)):
            found.add(f"argument {at}")
        for name, measure in _MEASURES:
            if all(_same(answer, _measured(measure, one)) for answer, one in zip(answers, arguments, strict=True)):
                found.add(f"{name} of argument {at}")
    return frozenset(found)


def excluded_by(row: Representation, survivors: Iterable[str]) -> frozenset[str]:
    """Returns the survivors, other than the constant, that do not give the answer of one more row."""
    if row.result is NO_RESULT:
        return frozenset()
    alone = trivial_survivors([row])
    return frozenset(name for name in survivors if name != "constant" and name not in alone)


def is_unmistakable(answer: Any) -> bool:
    """Whether a reader sees that no constant is meant: a filled container, a text, a number that counts several.

    True and False, None, nothing, one letter, and 0 and 1 are the answer to much.
    """
    if answer is NO_RESULT or answer is None or isinstance(answer, bool):
        return False
    if isinstance(answer, int | float | complex):
        return abs(answer) > 1
    if isinstance(answer, str | bytes):
        return len(answer.strip()) > 1
    return bool(answer)


def is_rich(row: Representation) -> bool:
    """Whether one row alone tells what its callable does: its answer is no constant, not what was given, no pair."""
    if not is_unmistakable(row.result) or row.comes_back:
        return False
    if isinstance(row.result, list | tuple | dict | set | frozenset):
        numbers = all(isinstance(item, int | float) for item in row.result)
        return len(row.result) >= _SEVERAL or (not numbers and any(map(is_unmistakable, row.result)))
    if isinstance(row.result, int | float | complex):
        return abs(row.result) >= _SEVERAL
    return isinstance(row.result, str | bytes)


def _measured(measure: Callable[[Any], Any], value: Any) -> Any:
    try:
        return measure(value)
    except (TypeError, ValueError):
        return NO_RESULT


def _same(left: Any, right: Any) -> bool:
    return type(left) is type(right) and left == right
