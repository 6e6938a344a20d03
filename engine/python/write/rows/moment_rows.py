"""Names rows by their moments: how far apart two of them are, the day or the hour, else the date in plain words."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime

from .....utils.python_names import keyword_value, last_name
from .....utils.python_source import literal_or
from ...source.moments import moment_of, moment_words
from ...source.titles import has_digit

_SPANS = ((365, "years"), (28, "months"), (7, "weeks"), (1, "days"))
_SECONDS = ((3600, "hours"), (60, "minutes"))
_NOON = 12


def is_moment(node: ast.expr) -> bool:
    """Whether a value is written as a day or a moment of one."""
    return isinstance(node, ast.Call) and last_name(node.func) in ("date", "datetime")


def words_of_moments(nodes: Sequence[ast.expr]) -> list[str]:
    """Describes moments by day or time of day, else by month; by their time zone where only some have one."""
    zoned = [_is_zoned(node) for node in nodes]
    if len(nodes) == 2 and any(zoned) and not all(zoned):
        return ["with_time_zone" if has else "without_time_zone" for has in zoned]
    months = [f"in_{moment:%B}".lower() if (moment := moment_of(node)) is not None else "" for node in nodes]
    for found in ([moment_words(node) for node in nodes], months):
        told = [f"{words}_with_time_zone" if has else words for words, has in zip(found, zoned, strict=True)]
        if len(set(told)) == len(told) and not any(map(has_digit, told)):
            return told
    return _dated(nodes)


def between_moments(cells: Mapping[str, Sequence[ast.expr]], clock: str) -> list[str]:
    """Says how far apart the two moments of each row are: `months_earlier`; nothing unless that tells rows apart."""
    moments = {name: nodes for name, nodes in cells.items() if all(map(is_moment, nodes))}
    # Beside the clock, what counts is how far away the other moment is.
    columns = [moments[name] for name in sorted(moments, key=lambda name: name == clock)]
    if len(columns) != 2:
        return []
    found = [_apart(first, second) for first, second in zip(*columns, strict=True)]
    others = {name: nodes for name, nodes in cells.items() if all(nodes is not column for column in columns)}
    if others and len(set(found)) < len(found):
        return []
    for at, words in enumerate(found):
        if found.count(words) > 1:
            zoned = _is_zoned(columns[0][at]) or _is_zoned(columns[1][at])
            found[at] = f"{words}_{'with_time_zone' if zoned else moment_words(columns[0][at])}"
    return found if len(set(found)) == len(found) and all(found) else []


def _apart(one: ast.expr, other: ast.expr) -> str:
    """Says by how much the first moment is later or earlier than the second, in the largest whole unit.

    Nothing of what cannot be compared: moments of two time zones, a moment of a day and that day.
    """
    first, second = _read(one), _read(other)
    zones = {ast.dump(zone) for node in (one, other) if (zone := keyword_value(node, "tzinfo")) is not None}
    if first is None or second is None or len(zones) > 1:
        return ""
    if isinstance(first, datetime) and isinstance(second, datetime):
        between = first - second
    else:
        between = date(first.year, first.month, first.day) - date(second.year, second.month, second.day)
    if not between:
        return "same_moment" if type(first) is type(second) else ""
    way = "later" if between.total_seconds() > 0 else "earlier"
    seconds = abs(between.total_seconds())
    days = seconds / 86400
    unit = next((unit for least, unit in _SPANS if days >= least), "")
    unit = unit or next((unit for least, unit in _SECONDS if seconds >= least), "seconds")
    return f"{unit}_{way}"


def _is_zoned(node: ast.expr) -> bool:
    return keyword_value(node, "tzinfo") is not None


def _dated(nodes: Sequence[ast.expr]) -> list[str]:
    """Describes moments by as many parts of date and time as tell them apart: `july_1987`, `3_november`, `at_01_30`.

    Nothing where a value is none that a person could read, or where no parts tell them apart.
    """
    moments = [moment for node in nodes if (moment := _read(node)) is not None]
    if len(moments) != len(nodes):
        return []
    folds = ["with_fold" if _is_folded(node) else "" for node in nodes]
    named = [f"{one:%B}".lower() for one in moments]
    months = _where_they_vary(named)
    years = _where_they_vary([str(one.year) for one in moments])
    days = _where_they_vary([str(one.day) for one in moments])
    times = list(map(_clock_time, moments))
    levels = (
        (months, years),
        (months, years, folds),
        (times,),
        (days, named, years),
        (days, named, years, folds),
        (days, named, years, times, folds),
    )
    for level in levels:
        found = ["_".join(filter(None, parts)) for parts in zip(*level, strict=True)]
        if all(found) and len(set(found)) == len(found):
            return found
    return []


def _read(node: ast.expr) -> date | None:
    """The moment of a value; `datetime(2024, 1, 3)` is one of a day, not the day."""
    moment = moment_of(node)
    if moment is None or isinstance(moment, datetime):
        return moment
    is_moment_of_day = isinstance(node, ast.Call) and last_name(node.func) == "datetime"
    return datetime(moment.year, moment.month, moment.day, tzinfo=UTC) if is_moment_of_day else moment


def _where_they_vary(parts: list[str]) -> list[str]:
    """One part of each moment; nothing of any where all have the same."""
    return parts if len(set(parts)) > 1 else [""] * len(parts)


def _clock_time(moment: date) -> str:
    """The time of day: `at_midnight`, `at_01_30`, `at_midnight_with_microseconds`; empty for a whole day."""
    if not isinstance(moment, datetime):
        return ""
    if (moment.minute, moment.second) == (0, 0) and moment.hour in (0, _NOON):
        told = "at_noon" if moment.hour else "at_midnight"
    else:
        told = f"at_{moment:%H_%M_%S}" if moment.second else f"at_{moment:%H_%M}"
    return f"{told}_with_microseconds" if moment.microsecond else told


def _is_folded(node: ast.expr) -> bool:
    """Whether a moment is the later one of two that a clock shows alike when it is set back."""
    fold = keyword_value(node, "fold")
    return fold is not None and bool(literal_or(fold, 0))
