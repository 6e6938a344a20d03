"""Observes proposals a second time, on an application that is started anew under other conditions.

Two applications share the work: each waits for the answers of its own, and a processor would be idle meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from ....core.background import background_task
from ....sandbox.target import PythonTarget
from ..document.application import AppConditions, AppLaunch, AppObserver, open_application
from ..document.auth import Credential
from ..model.model import ObservedProposal, Proposal
from .execute import execute_proposals, mark_state_dependent, merge_observations
from .resource_model import ResourceModel
from .sign_in.prepare import sign_in_again

_FEW = 100
"""Fewer proposals take less time than the start of another application."""


async def observe_again(
    target: PythonTarget,
    launch: AppLaunch,
    conditions: AppConditions,
    world: ResourceModel,
    seen: Sequence[ObservedProposal],
    credentials: Mapping[str, Credential],
) -> tuple[list[ObservedProposal], int]:
    """Return what was observed with what another start of the application answers, and how many requests it took.

    Raises:
        EnvironmentFault: the application does not start. SandboxFailure: the sandbox broke.
    """
    proposals = [observed.proposal for observed in seen]
    mine, theirs = _shares(proposals)

    async def elsewhere() -> tuple[list[ObservedProposal], int]:
        if not theirs:
            return [], 0
        async with open_application(target, launch, conditions) as observer:
            return await _observed(observer, world, theirs, credentials), observer.sent

    async with open_application(target, launch, conditions) as observer:
        work = _observed(observer, world, mine, credentials)
        async with background_task(work) as one, background_task(elsewhere()) as other:
            # Where one fails, leaving ends the other one.
            here, (there, sent) = await asyncio.gather(one, other)
        answered = {id(other.proposal): other for other in (*here, *there)}
        merged = [merge_observations(observed, answered[id(observed.proposal)]) for observed in seen]
        return await mark_state_dependent(observer, merged, credentials), sent + observer.sent


async def _observed(
    observer: AppObserver, world: ResourceModel, proposals: Sequence[Proposal], credentials: Mapping[str, Credential]
) -> list[ObservedProposal]:
    await sign_in_again(observer, world)
    return await execute_proposals(observer, proposals, credentials)


def _shares(proposals: Sequence[Proposal]) -> tuple[list[Proposal], list[Proposal]]:
    """Return two shares of about the same size; the second is empty for few proposals.

    Those of one operation stay together: of one that hangs few are sent.
    """
    if len(proposals) < _FEW:
        return list(proposals), []
    shares: tuple[list[Proposal], list[Proposal]] = ([], [])
    of_operations: dict[str, list[Proposal]] = {}
    for proposal in proposals:
        of_operations.setdefault(proposal.operation.name, []).append(proposal)
    for own in sorted(of_operations.values(), key=len, reverse=True):
        min(shares, key=len).extend(own)
    return shares
