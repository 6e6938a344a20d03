"""Observes a few requests of each operation early, for a preview of the tests while exploring goes on."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from ..document.application import AppObserver
from ..document.auth import Credential, with_credentials
from ..model.model import ObservedProposal, Proposal
from .budget import ApiBudget, is_wanted, select_within
from .execute import execute_proposals, merge_observations
from .propose import proposals_for
from .resource_model import ResourceModel

_FEW = ApiBudget(operation=2, proposals=60)


async def first_observations(
    observer: AppObserver, world: ResourceModel, credentials: Mapping[str, Credential], wanted: Collection[str] | None
) -> list[ObservedProposal]:
    """Return what the most informative requests of each operation are answered with, each sent twice.

    Raises:
        SandboxFailure: the worker ended.
    """
    proposals = select_within(list(_proposals(world, credentials, wanted)), _FEW).proposals
    found: list[ObservedProposal] = []
    for seen in await execute_proposals(observer, proposals, credentials):
        requests = [with_credentials(request, credentials) for request in (*seen.proposal.setup, seen.proposal.request)]
        again = await observer.answers(requests) if seen.complete and not seen.answer.failure else ()
        found.append(merge_observations(seen, ObservedProposal(seen.proposal, again)))
    return [seen for seen in found if seen.steady]


def _proposals(
    world: ResourceModel, credentials: Mapping[str, Credential], wanted: Collection[str] | None
) -> Iterator[Proposal]:
    for baseline in world.baselines.values():
        if is_wanted(baseline.operation, wanted):
            yield from proposals_for(world, baseline, dict(credentials))
