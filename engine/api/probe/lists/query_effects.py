"""Tells which queries of a filled list show something: flags, orders, and filters by which another user asks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence

from ...model.model import HttpAnswer, Json, Proposal
from ..baselines import BaselineFinder
from ..execute import differs_from
from ..propose_access import FOR_OTHERS
from ..resource_model import ResourceModel
from ..sign_in.users import USER
from .columns import PICKED, SORTED
from .filled import BY_USERS, FLAGS
from .members import count_members

_MOST_FOR_OTHERS = 2


async def with_effect(
    finder: BaselineFinder, world: ResourceModel, proposals: Iterable[Proposal], most: int
) -> list[Proposal]:
    """Return proposals without those flags of a list that is filled for them, and that pick out nothing there.

    Orders and choices of fields that are refused, or that are the usual one, are left out as well, and so are filters
    by which another user sees what the first one does: they hide nothing. So are names of users that leave nothing of
    a list. Those of these that the application fails at stay, and two of each filter by others.

    Args:
        most: how many flags, orders, choices of fields and filters of others are tried; further ones are left out as
            well.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    found: list[Proposal] = []
    plain: dict[str, tuple[HttpAnswer, HttpAnswer]] = {}
    tried: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    for proposal in proposals:
        for_others = proposal.group == FOR_OTHERS
        kind = FLAGS if proposal.group.startswith(FLAGS) else proposal.group
        if kind not in (FLAGS, BY_USERS, FOR_OTHERS, SORTED, PICKED):
            found.append(proposal)
            continue
        filter_of = json.dumps([proposal.operation.name, *(proposal.request.get("query") or {})])
        if tried[kind] >= most or (for_others and kept[filter_of] == _MOST_FOR_OTHERS):
            continue
        tried[kind] += 1
        steps = (*proposal.setup, _compared(world, proposal))
        story = json.dumps(steps, sort_keys=True, default=str)
        if story not in plain:
            plain[story] = await _last(finder, steps), await _last(finder, steps, again=True)
        picked = await _last(finder, (*proposal.setup, proposal.request))
        worth = picked.ok or picked.status >= 500 or kind not in (SORTED, PICKED, BY_USERS)
        if kind == BY_USERS and picked.ok:
            # A name that nothing has is no user's, and one that all have picks out nothing.
            worth = 0 < count_members(picked) < count_members(plain[story][0])
        if worth and differs_from(picked, *plain[story]):
            found.append(proposal)
            kept[filter_of] += for_others
    return found


def _compared(world: ResourceModel, proposal: Proposal) -> Json:
    """Return the request that a flag or filter is compared with: without the flag, or by the first user."""
    if proposal.group == FOR_OTHERS:
        return {**proposal.request, "auth": USER}
    # What the list needs besides the flag stays.
    query = world.baselines[proposal.operation.name].request.get("query")
    request: Json = {key: entry for key, entry in proposal.request.items() if key != "query"}
    return {**request, "query": query} if query else request


async def _last(finder: BaselineFinder, steps: Sequence[Json], *, again: bool = False) -> HttpAnswer:
    return (await finder.send(steps, again=again))[-1]
