"""Executes proposals, each on a fresh state.

Refusals once more on one shared state, to find those that depend on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..document.application import AppObserver
from ..document.auth import Credential, with_credentials
from ..model.freshness import REFUSALS
from ..model.model import HttpAnswer, ObservedProposal, Proposal
from .stability import merge_observations

_ROUNDS = 3


async def execute_proposals(
    observer: AppObserver, proposals: Sequence[Proposal], credentials: Mapping[str, Credential]
) -> list[ObservedProposal]:
    """Execute proposals and return the observations in order. Raises SandboxFailure."""
    return [
        ObservedProposal(proposal, await _answers(observer, proposal, credentials, reset=True))
        for proposal in proposals
    ]


async def mark_state_dependent(
    observer: AppObserver, seen: Sequence[ObservedProposal], credentials: Mapping[str, Credential]
) -> list[ObservedProposal]:
    """Mark refused proposals that need a fresh state although they are refused for their form.

    Such a refusal is usually independent of state, so its tests share one. All of these requests are sent one after the
    other, forwards and backwards. Where an answer differs from the one on a fresh state (an application that counts
    failed attempts, for example), all refusals of its operation are marked, and the others are sent again.
    """
    alike = {at for at, one in enumerate(seen) if _refused(one)}
    for _ in range(_ROUNDS):
        touched: set[str] = set()
        await observer.answers((), reset=True)
        for at in (*sorted(alike, reverse=True), *sorted(alike)):
            one = seen[at]
            again = ObservedProposal(one.proposal, await _answers(observer, one.proposal, credentials, reset=False))
            both = merge_observations(one, again)
            if not both.steady or not both.unstable <= one.unstable:
                touched.add(one.proposal.operation.name)
        if not touched:
            break
        alike = {at for at in alike if seen[at].proposal.operation.name not in touched}
    else:
        alike = set()
    return [replace(one, fresh=_refused(one) and at not in alike) for at, one in enumerate(seen)]


def _refused(one: ObservedProposal) -> bool:
    return one.proposal.category in REFUSALS and one.complete and one.steady and 400 <= one.answer.status < 500


async def _answers(
    observer: AppObserver, one: Proposal, credentials: Mapping[str, Credential], *, reset: bool
) -> tuple[HttpAnswer, ...]:
    requests = [with_credentials(request, credentials) for request in (*one.setup, one.request)]
    return await observer.answers(requests, reset=reset)
