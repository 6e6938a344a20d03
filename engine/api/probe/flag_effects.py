"""Tells which flags of a query pick something out of a list that is filled for them."""

from __future__ import annotations

import json
from collections.abc import Iterable

from ..model.model import HttpAnswer, Json, Proposal
from .baselines import BaselineFinder
from .effects.lists import FLAGS
from .execute import differs_from
from .resource_model import ResourceModel


async def with_effect(
    finder: BaselineFinder, world: ResourceModel, proposals: Iterable[Proposal], most: int
) -> list[Proposal]:
    """Return proposals without those flags of a list that is filled for them, and that pick out nothing there.

    Args:
        most: how many flags are tried; further ones are left out as well.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    found: list[Proposal] = []
    plain: dict[str, tuple[HttpAnswer, HttpAnswer]] = {}
    tried = 0
    for proposal in proposals:
        if not proposal.group.startswith(FLAGS):
            found.append(proposal)
            continue
        tried += 1
        if tried > most:
            continue
        # What the list needs besides the flag stays.
        query = world.baselines[proposal.operation.name].request.get("query")
        request: Json = {key: entry for key, entry in proposal.request.items() if key != "query"}
        steps = (*proposal.setup, {**request, "query": query} if query else request)
        story = json.dumps(steps, sort_keys=True, default=str)
        if story not in plain:
            plain[story] = (await finder.send(steps))[-1], (await finder.send(steps, again=True))[-1]
        picked = (await finder.send((*proposal.setup, proposal.request)))[-1]
        if differs_from(picked, *plain[story]):
            found.append(proposal)
    return found
