"""Observes proposals twice: all of them, the second time on an application that is started anew under other conditions,
and a few of each operation early, for a preview of the tests.

Two applications share the work: each waits for the answers of its own, and a processor would be idle meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence

from ....core.background import background_task
from ....sandbox.target import PythonTarget
from ..document.application import AppConditions, AppLaunch, AppObserver, open_application
from ..document.auth import Credential, with_credentials
from ..model.model import ObservedProposal, Proposal
from .budget import ApiBudget, is_wanted, select_within
from .execute import execute_proposals, mark_state_dependent, merge_observations
from .propose import proposals_for
from .resource_model import ResourceModel
from .sign_in.prepare import sign_in_again

_FEW_PROPOSALS = 100
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
    if len(proposals) < _FEW_PROPOSALS:
        return list(proposals), []
    shares: tuple[list[Proposal], list[Proposal]] = ([], [])
    of_operations: dict[str, list[Proposal]] = {}
    for proposal in proposals:
        of_operations.setdefault(proposal.operation.name, []).append(proposal)
    for own in sorted(of_operations.values(), key=len, reverse=True):
        min(shares, key=len).extend(own)
    return shares


_EARLY = ApiBudget(operation=2, proposals=60)


async def first_observations(
    observer: AppObserver, world: ResourceModel, credentials: Mapping[str, Credential], wanted: Collection[str] | None
) -> list[ObservedProposal]:
    """Return what the most informative requests of each operation are answered with, each sent twice.

    Raises:
        SandboxFailure: the worker ended.
    """
    proposals = select_within(list(_early_proposals(world, credentials, wanted)), _EARLY).proposals
    found: list[ObservedProposal] = []
    for seen in await execute_proposals(observer, proposals, credentials):
        requests = [with_credentials(request, credentials) for request in (*seen.proposal.setup, seen.proposal.request)]
        again = await observer.answers(requests) if seen.complete and not seen.answer.failure else ()
        found.append(merge_observations(seen, ObservedProposal(seen.proposal, again)))
    return [seen for seen in found if seen.steady]


def _early_proposals(
    world: ResourceModel, credentials: Mapping[str, Credential], wanted: Collection[str] | None
) -> Iterator[Proposal]:
    for baseline in world.baselines.values():
        if is_wanted(baseline.operation, wanted):
            yield from proposals_for(world, baseline, dict(credentials))
