"""Finds what tells who has made or changed something, and what an administrator is told instead of a user."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

from ...document.auth import auth_names
from ...model.model import Json, Proposal
from ..baselines import BaselineFinder
from ..budget import is_wanted
from ..execute import differs_from
from ..propose_values import copy_request, make_proposal
from ..resource_model import ResourceModel, is_complete, merge_setups, readings_of, variables_in
from ..sign_in.users import ADMIN, OTHER, USER
from .answers import last_answer, usual_answers


async def maker_proposals(
    finder: BaselineFinder, world: ResourceModel, most: int, wanted: Collection[str] | None = None
) -> list[Proposal]:
    """Return what is told otherwise where another user has made it, or where an administrator asks.

    Args:
        most: how many of them are tried.
        wanted: names of the operations that they are proposed for; None for all.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    tried = (
        (usual, proposal)
        for usual, proposal in (*_by_another(world), *_for_administrators(world))
        if is_wanted(proposal.operation, wanted) and is_complete((*proposal.setup, proposal.request))
    )
    return [proposal for usual, proposal in islice(tried, most) if await _tells(finder, usual, proposal)]


async def _tells(finder: BaselineFinder, usual: tuple[Json, ...], proposal: Proposal) -> bool:
    """Whether an answer differs from the usual one in more than that one differs from itself."""
    theirs = await last_answer(finder, (*proposal.setup, proposal.request))
    if theirs is None:
        return False
    answers = await usual_answers(finder, usual)
    return answers is not None and differs_from(theirs, *answers)


def _by_another(world: ResourceModel) -> Iterator[tuple[tuple[Json, ...], Proposal]]:
    """Yield what another user makes and changes, and the readings of it; with the usual requests."""
    for change in world.baselines.values() if OTHER in world.users else ():
        if change.operation.method not in ("POST", "PUT", "PATCH") or auth_names(change.request) != (USER,):
            continue
        theirs: Json = {**change.saving, "auth": OTHER}
        marks: Json = {"priority": "high"}
        # What is put into something of the first user's is looked at elsewhere: whether that may be is the question.
        if change.operation.method == "POST" and not variables_in(change.request):
            name, words, request = "by_another_user", "by another user", copy_request(theirs)
            yield change.story, make_proposal(change, name, words, "success", request, **marks)
        name = f"after_{change.operation.name}_by_another_user"
        words = f"after {change.operation.label} by another user"
        for reading in readings_of(world, change.operation):
            # What everybody reads tells as well who has made it.
            if auth_names(reading.request) not in ((USER,), ()):
                continue
            usual = tuple(merge_setups(reading.setup, change.story))
            marks["setup"] = tuple(theirs if step == change.saving else step for step in usual)
            proposal = make_proposal(reading, name, words, "state", copy_request(reading.request), **marks)
            yield (*usual, reading.request), proposal


def _for_administrators(world: ResourceModel) -> Iterator[tuple[tuple[Json, ...], Proposal]]:
    """Yield readings of what is no single thing, by an administrator."""
    for reading in world.baselines.values() if ADMIN in world.users else ():
        alone = reading.operation.method == "GET" and not variables_in(reading.request)
        if alone and auth_names(reading.request) == (USER,):
            request = {**copy_request(reading.request), "auth": ADMIN}
            name, words = "as_an_administrator", "asked by an administrator"
            yield (
                (*reading.setup, reading.request),
                make_proposal(reading, name, words, "state", request, priority="high"),
            )
