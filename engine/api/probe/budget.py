"""Limits what is tried of an API: a number of proposals, of those for one operation, and of pairs of requests.

Bounded by counts, so that two runs try the same.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from ....utils.in_turns import in_turns
from ....utils.names.counted import counted
from ..document.operations import first_part
from ..model.model import Operation, Proposal

_TIMES_SENT = 4
_LEAST = 20
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

    def within(self, seconds: float, each: float) -> ApiBudget:
        """Return the budget that fits into a time.

        Args:
            each: seconds that one sequence of requests takes.
        """
        sequences = max(seconds, 0.0) / max(each, 0.001)
        # A pair is sent twice before it is a proposal; that is observed twice, and sent again where it is a refusal.
        proposals = max(int(sequences / _TIMES_SENT), _LEAST)
        return ApiBudget(self.operation, min(self.proposals, proposals), min(self.pairs, proposals // 5))


def is_wanted(operation: Operation, wanted: Collection[str] | None) -> bool:
    """Whether anything is proposed for an operation.

    Args:
        wanted: names of those that it is proposed for; None for all.
    """
    return wanted is None or operation.name in wanted


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
    for at, proposal in enumerate(found):
        by_operation.setdefault(proposal.operation.name, []).append(at)
    ranked = {
        name: sorted(places, key=lambda at: (_RANKS[found[at].priority], at)) for name, places in by_operation.items()
    }
    few = {name: places[: budget.operation] for name, places in ranked.items()}
    kept = set(islice(in_turns(few.values()), budget.proposals))
    cut: list[tuple[str, str]] = []
    for name, places in ranked.items():
        label = found[places[0]].operation.label
        beyond = len(places) - len(few[name])
        late = sum(1 for at in few[name] if at not in kept)
        if beyond:
            cut.append((label, _left_out(beyond, f"at most {budget.operation} are tried for one operation")))
        if late:
            cut.append((label, _left_out(late, f"at most {budget.proposals} are tried for the whole API")))
    return SelectedProposals(tuple(proposal for at, proposal in enumerate(found) if at in kept), tuple(cut))


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
    kept = set(islice(in_turns(by_reading.values()), most))
    cut: list[tuple[str, str]] = []
    for places in by_reading.values():
        left = sum(1 for at in places if at not in kept)
        if left:
            untried = f"what it tells after {counted(left, 'other change')} was not tried"
            bound = f"at most {most} pairs of a change and a reading are tried for the whole API"
            cut.append((found[places[0]][1].label, f"{untried}: {bound}"))
    return [proposal for at, (_, _, proposal) in enumerate(found) if at in kept], tuple(cut)


def _left_out(number: int, bound: str) -> str:
    return f"{number} more request{'s were' if number > 1 else ' was'} not tried: {bound}"
