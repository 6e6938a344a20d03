"""Finds acts that look like a mark of each user's own (`PUT …/star`) and that change the thing for its owner, too.

Only what is observed tells the two apart: after the act of another user the owner reads a flag of the thing otherwise.
How many have set a mark, and who, may be told to everybody.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

from ...document.auth import auth_names
from ...document.base_path import without_names
from ...model.json_values import leaves
from ...model.model import HttpAnswer, Json, Proposal
from ..baselines import BaselineFinder
from ..budget import is_wanted
from ..propose_values import copy_request, make_proposal
from ..resource_model import BaselineRequest, ResourceModel, is_complete, merge_setups, parse_json
from ..sign_in.others import SHARED_FLAG, mark_paths
from ..sign_in.users import OTHER, USER
from .answers import last_answer


async def shared_flags(
    finder: BaselineFinder, world: ResourceModel, most: int, wanted: Collection[str] | None = None
) -> list[Proposal]:
    """Return readings by its owner of a thing of which another user's act has changed a flag.

    Args:
        most: how many acts are tried.
        wanted: names of the acts that are tried; None for all.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    tried = (
        (usual, proposal)
        for act, usual, proposal in _after_acts(world)
        if is_wanted(act.operation, wanted) and is_complete((*proposal.setup, proposal.request))
    )
    found: list[Proposal] = []
    for usual, proposal in islice(tried, most):
        before = await last_answer(finder, (*usual, proposal.request))
        after = await last_answer(finder, (*proposal.setup, proposal.request))
        if before is not None and after is not None and _flags(before) != _flags(after):
            found.append(proposal)
    return found


def _after_acts(world: ResourceModel) -> Iterator[tuple[BaselineRequest, tuple[Json, ...], Proposal]]:
    """Yield each act that looks like a mark, with the usual requests and the reading after another user's act."""
    if OTHER not in world.users:
        return
    marks = mark_paths(baseline.operation for baseline in world.baselines.values())
    for act in world.baselines.values():
        path = without_names(act.operation.path)
        sets = act.operation.method in ("POST", "PUT") and path in marks
        if not sets or auth_names(act.request) != (USER,):
            continue
        thing = path.rpartition("/")[0]
        for reading in world.baselines.values():
            if reading.operation.method != "GET" or without_names(reading.operation.path) != thing:
                continue
            usual = tuple(merge_setups(reading.setup, act.setup))
            request: Json = {**copy_request(reading.request), "auth": USER}
            theirs: Json = {**copy_request(act.request), "auth": OTHER}
            name, words = f"shared_flag_after_{act.operation.name}", f"after {act.operation.label} by another user"
            after = make_proposal(reading, name, words, "state", request, setup=(*usual, theirs), group=SHARED_FLAG)
            yield act, usual, after


def _flags(answer: HttpAnswer) -> dict[str, bool]:
    return {place: leaf for place, leaf in leaves(parse_json(answer)) if isinstance(leaf, bool)}
