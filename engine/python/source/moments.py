"""Says in words what sets a moment apart: its time of day, its day."""

from __future__ import annotations

import ast
from datetime import UTC, date, datetime

NOW = "now"
"""The variable of a test that holds the moment at which its clock stands still."""

_HOURS = ((6, "at_night"), (12, "in_the_morning"), (18, "in_the_afternoon"), (22, "in_the_evening"), (24, "at_night"))
_WEEKEND = 5
_TIMES = frozenset("hour minute second microsecond".split())
_NO_NUMBERS = frozenset({"tzinfo", "fold"})


def moment_words(node: ast.expr) -> str:
    """Returns words for a moment, as source: `in_the_evening`, `on_a_sunday`, `on_new_years_eve`, `on_leap_day`."""
    moment = moment_of(node)
    if moment is None:
        return "at_another_moment"
    if (moment.month, moment.day) == (2, 29):
        return "on_leap_day"
    if (moment.month, moment.day) == (12, 31):
        return "on_new_years_eve"
    if moment.weekday() >= _WEEKEND:
        return f"on_a_{moment:%A}".lower()
    if not isinstance(moment, datetime):
        return f"in_{moment:%B_%Y}".lower()
    return next(words for end, words in _HOURS if moment.hour < end)


def moment_of(node: ast.expr) -> date | None:
    """The moment or day that a number of seconds or a call of its class makes; None for other nodes."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        try:
            return datetime.fromtimestamp(node.value, UTC)
        except (ValueError, OverflowError, OSError):
            return None
    if not isinstance(node, ast.Call):
        return None
    try:
        numbers = [ast.literal_eval(argument) for argument in node.args]
        named = {one.arg or "": ast.literal_eval(one.value) for one in node.keywords if one.arg not in _NO_NUMBERS}
        has_time = len(numbers) > len("ymd") or not _TIMES.isdisjoint(named)
        return datetime(*numbers, **named, tzinfo=UTC) if has_time else date(*numbers, **named)
    except (ValueError, TypeError, OverflowError):
        return None
