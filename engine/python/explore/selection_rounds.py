"""Selects trials and confirms them, in rounds, until all that are selected hold together; makes findings of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..model.model import Arc, TrialFinding
from ..scenarios.scenario import is_further_row
from ..search.trial_search import TrialRecord
from .confirm import CHANGES_OTHERS, TOO_LATE, Confirmation
from .shared_state import taking_same_steps

CONFIRMATIONS = 4


class RealArcs(Protocol):
    """Maps traced arcs to those of the source."""

    def real(self, arcs: Iterable[Arc], /) -> frozenset[Arc]:
        """Traced arcs by the first lines of their statements."""
        ...


@dataclass(slots=True)
class ConfirmedTrials:
    """Results of the confirmations so far; `bad`: dropped records and reasons, by record number."""

    confirmed: list[tuple[TrialRecord, Confirmation]] = field(default_factory=list)
    bad: dict[int, tuple[TrialRecord, str]] = field(default_factory=dict)

    @property
    def dropped(self) -> dict[str, str]:
        """Why trials were dropped, by subject."""
        return {record.trial.subject: reason for record, reason in self.bad.values()}


SelectAndConfirm = Callable[[list[TrialRecord]], Awaitable[tuple[Sequence[TrialRecord], Sequence[Confirmation]]]]


async def confirm_selection(
    records: Sequence[TrialRecord], attempt: SelectAndConfirm, is_over: Callable[[], bool] = lambda: False
) -> ConfirmedTrials:
    """Selects and confirms trials; selects again in place of those that could not be confirmed.

    Args:
        attempt: selects among the records that are left, and confirms all that it selects: each must pass when run
            together with the rest.
        is_over: asked before each further round: whether there is no time for one.
    """
    work, left_out = ConfirmedTrials(), set[int]()
    again: list[tuple[TrialRecord, Confirmation]] = []
    for number in range(CONFIRMATIONS):
        if number and is_over():
            break
        usable = [record for record in records if record.number not in work.bad.keys() | left_out]
        chosen, answers = await attempt(usable)
        pairs = list(zip(chosen, answers, strict=True))
        late = any(answer.reason == TOO_LATE for answer in answers)
        if late and work.confirmed:  # what the round before confirmed stands
            break
        work.confirmed = [(record, answer) for record, answer in pairs if answer.seen is not None]
        failed = [(record, answer) for record, answer in pairs if answer.seen is None and not answer.again]
        again = [(record, answer) for record, answer in pairs if answer.again]
        work.bad.update({record.number: (record, answer.reason) for record, answer in failed})
        changing = [record for record, answer in failed if answer.reason == CHANGES_OTHERS]
        left_out |= taking_same_steps(changing, records) if changing else set()
        if len(work.confirmed) == len(chosen) or late:
            break
    # What might have held without others, and found no further round, did not.
    work.bad.update({record.number: (record, answer.reason) for record, answer in again})
    return work


def trial_findings(
    work: ConfirmedTrials, arcs: RealArcs, imported: frozenset[Arc], kills: Mapping[int, frozenset[int]]
) -> tuple[list[TrialFinding], frozenset[Arc]]:
    """The findings of confirmed trials, and all arcs that they and the import reach.

    Args:
        kills: numbers of the mutants that a trial's test would kill, by record number.
    """
    reached = set(imported)
    findings: list[TrialFinding] = []
    for record, confirmed in work.confirmed:
        seen = confirmed.seen
        assert seen is not None  # `confirmed` holds no dropped trial
        own = arcs.real(seen.observation.arcs)
        covered = own | arcs.real(seen.setup)
        findings.append(
            TrialFinding(
                trial=record.trial,
                observation=seen.observation,
                new_arcs=frozenset(own - reached),
                covered=covered,
                unstable=confirmed.unstable,
                agrees=confirmed.verdict.agrees,
                contradicts=confirmed.verdict.contradicts,
                kills=kills.get(record.number, frozenset()),
                is_edge=is_further_row(record),
            )
        )
        reached |= covered
    return findings, frozenset(reached)
