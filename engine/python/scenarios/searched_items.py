"""Shows where a search ends: at the first or last item, below or above all items, in a gap, in a list of none or one.

A search is a function of a sorted list and a value that answers the place of the value in the list.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ....utils.python_source import literal_or, parse_expression
from ..domain.membership import count_outside
from ..model.model import RICH_SOURCES, CallableFacts, ModuleFacts, Trial
from ..search.parallel_observers import Watcher
from ..search.trial_search import TrialRecord, TrialSearch
from .scenario import asked_otherwise, is_plain_return, mark_further_row, own_call, records_of, returned_source

_FEWEST_ITEMS = 4
# Items that are close together below or above: what halves the list and what estimates the place both miss at first.
_UNEVEN = ([1, 50, 98, 99, 100], [1, 2, 3, 50, 100])


@dataclass(frozen=True, slots=True)
class _Search:
    """A call that looks for a number in a sorted list.

    Attributes:
        at: the position of the list among the two arguments.
    """

    record: TrialRecord
    call: ast.Call
    items: tuple[int, ...]
    sought: int
    at: int

    def passing(self, items: Sequence[int], sought: int) -> Trial:
        """The trial that looks for another value in another list."""
        pair = [ast.Constant(sought), ast.Constant(sought)]
        args = [parse_expression(repr(list(items))) if at == self.at else pair[at] for at in range(2)]
        act = ast.unparse(ast.Call(self.call.func, args, []))
        return asked_otherwise(self.record.trial, act)


async def show_searched_items(facts: ModuleFacts, search: TrialSearch, observer: Watcher) -> None:
    """Runs searches for what a reader looks for; those that find it or look for what is not there become rows."""
    for one in facts.functions:
        base = _base(search.records, one) if one.public and not one.is_async else None
        if base is None:
            continue
        wanted = [entry for entry in _wanted(base) if not count_outside(base.passing(*entry[1:]), facts)]
        found = await records_of([base.passing(items, sought) for _, items, sought in wanted], search, observer)
        written = [record for record in search.records if record.trial.wanted]
        shown = {place for record in written if (place := _shown_miss(record, one))}
        for (place, items, sought), record in zip(wanted, found, strict=True):
            if record is None or place in shown or not is_plain_return(record) or record.observation.effects:
                continue
            if sought not in items or _found(record, items) == sought:
                shown.add(place)
                mark_further_row(record, place)


def _shown_miss(record: TrialRecord, one: CallableFacts) -> str:
    """Where a documented call looks in vain: below or above all items, in a gap; empty for other calls."""
    found = _arguments(record, one)
    if found is None or found.sought in found.items:
        return ""
    items, sought = found.items, found.sought
    return "below all" if sought < items[0] else "above all" if sought > items[-1] else "gap"


def _base(records: Sequence[TrialRecord], one: CallableFacts) -> _Search | None:
    """The call of a function that found something, if there is one, that a person wrote; None where none did."""
    calls = [call for record in records if (call := _arguments(record, one)) is not None]
    found = [call for call in calls if _found(call.record, call.items) == call.sought]
    return min(found, key=lambda base: (base.record.trial.source not in RICH_SOURCES, base.record.number), default=None)


def _arguments(record: TrialRecord, one: CallableFacts) -> _Search | None:
    """The call of a function with a sorted list of numbers and a number; None for other calls."""
    call = own_call(record, one)
    if call is None or len(call.args) != 2 or call.keywords or not is_plain_return(record) or record.seen.random:
        return None
    values: list[Any] = [literal_or(value, None) for value in call.args]
    at = 0 if isinstance(values[0], list) else 1
    items, sought = values[at], values[1 - at]
    if not isinstance(items, list) or type(sought) is not int or len(items) < _FEWEST_ITEMS:
        return None
    if not all(type(item) is int for item in items) or items != sorted(set(items)):
        return None
    return _Search(record, call, tuple(items), sought, at)


def _found(record: TrialRecord, items: Sequence[int]) -> int | None:
    """The item at the place that a search answers; None where it answers no place."""
    place = literal_or(returned_source(record.observation), None)
    return items[place] if type(place) is int and 0 <= place < len(items) else None


def _wanted(base: _Search) -> Iterator[tuple[str, Sequence[int], int]]:
    """Generates what is shown, the list and the value: of several for one place the first that answers is taken."""
    items = base.items
    yield "first item", items, items[0]
    yield "last item", items, items[-1]
    yield "below all", items, items[0] // 2 if 0 < items[0] // 2 < items[0] else items[0] - 1
    yield "above all", items, 2 * items[-1] - items[-2]
    gap = max(itertools.pairwise(items), key=lambda pair: pair[1] - pair[0])
    if gap[1] - gap[0] > 1:
        yield "gap", items, sum(gap) // 2
    yield "nothing to find", (), base.sought
    yield "only item", (base.sought,), base.sought
    yield "uneven items", _UNEVEN[0], _UNEVEN[0][2]
    yield "uneven items", _UNEVEN[1], _UNEVEN[1][2]
