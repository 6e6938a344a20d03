"""Selects which proposals are tried within the budget, and words the reason for the rest.

Counts requests, never time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..document.operations import first_part
from ..model.model import Operation, Proposal

_RANKS = {"critical": 0, "high": 1, "medium": 2, "low": 3}
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ApiBudget:
    """Limits on the number of proposals.

    Attributes:
        operation: proposals for one operation.
        proposals: proposals in all.
        pairs: pairs of a change and a reading.
    """

    operation: int = 60
    proposals: int = 900
    pairs: int = 150


@dataclass(frozen=True, slots=True)
class SelectedProposals:
    """The proposals within the budget.

    Attributes:
        cut: (operation, reason) for operations of which some proposals are left out.
    """

    proposals: tuple[Proposal, ...]
    cut: tuple[tuple[str, str], ...]


def select_within(found: Sequence[Proposal], budget: ApiBudget) -> SelectedProposals:
    """Take proposals in rounds, the most informative of every operation first, until the budget is spent."""
    by_operation: dict[str, list[int]] = {}
    for at, one in enumerate(found):
        by_operation.setdefault(one.operation.name, []).append(at)
    ranked = {
        name: sorted(places, key=lambda at: (_RANKS[found[at].priority], at)) for name, places in by_operation.items()
    }
    few = {name: places[: budget.operation] for name, places in ranked.items()}
    kept = set(_in_rounds(few, budget.proposals))
    cut: list[tuple[str, str]] = []
    for name, places in ranked.items():
        label = found[places[0]].operation.label
        beyond = len(places) - len(few[name])
        late = sum(1 for at in few[name] if at not in kept)
        if beyond:
            cut.append((label, _said(beyond, f"at most {budget.operation} are tried for one operation")))
        if late:
            cut.append((label, _said(late, f"at most {budget.proposals} are tried for the whole API")))
    return SelectedProposals(tuple(one for at, one in enumerate(found) if at in kept), tuple(cut))


def select_pairs_within(
    found: Sequence[tuple[Operation, Operation, T]], most: int
) -> tuple[list[T], tuple[tuple[str, str], ...]]:
    """Return the pairs of a change and a reading to try, and (operation, reason) for readings that are left out.

    Readings of the changed resource come first, and every reading gets one pair before any gets a second.
    """
    by_reading: dict[str, list[int]] = {}
    for at, (_, reading, _) in sorted(
        enumerate(found), key=lambda item: first_part(item[1][0].path) != first_part(item[1][1].path)
    ):
        by_reading.setdefault(reading.name, []).append(at)
    kept = set(_in_rounds(by_reading, most))
    cut: list[tuple[str, str]] = []
    for places in by_reading.values():
        left = sum(1 for at in places if at not in kept)
        if left:
            reason = (
                f"what it tells after {left} other change{'s' * (left > 1)} was not tried: at most {most} pairs of "
            )
            cut.append((found[places[0]][1].label, f"{reason}a change and a reading are tried for the whole API"))
    return [one for at, (_, _, one) in enumerate(found) if at in kept], tuple(cut)


def _in_rounds(places: Mapping[str, Sequence[int]], most: int) -> Iterator[int]:
    """Yield the first of each, then the second of each, and so on."""
    longest = max((len(place) for place in places.values()), default=0)
    order: Iterable[int] = (place[turn] for turn in range(longest) for place in places.values() if turn < len(place))
    for number, at in enumerate(order):
        if number >= most:
            return
        yield at


def _said(number: int, bound: str) -> str:
    return f"{number} more request{'s were' if number > 1 else ' was'} not tried: {bound}"
