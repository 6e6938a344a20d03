"""Finds lists of what others have made: those whom somebody follows, or whose group somebody has joined."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

from .....utils.in_turns import in_turns
from ...document.auth import auth_names
from ...model.model import Json, Proposal
from ...values import paging
from ..baselines import BaselineFinder
from ..budget import is_wanted
from ..distinct import Others
from ..effects.answers import last_answer
from ..propose_values import copy_request, make_proposal
from ..resource_model import BaselineRequest, ResourceModel, merge_setups
from ..sign_in.users import OTHER, USER, by_other, names_other, of_user
from .filled import PAGES
from .members import asked_for_one, count_members, lists_nothing

Way = tuple[BaselineRequest, BaselineRequest, BaselineRequest]
"""A list, what a user does that names another one, and what that one makes."""


@dataclass(frozen=True, slots=True)
class Setup:
    """The requests that fill a list; `several` members of it, beside what it leaves out, or one."""

    steps: tuple[Json, ...]
    several: bool


async def feed_proposals(
    finder: BaselineFinder,
    world: ResourceModel,
    second: Others,
    third: Others,
    most: int,
    wanted: Collection[str] | None = None,
    filled: Collection[str] = (),
) -> list[Proposal]:
    """Return readings of a user's list that has members once the user has done something that names another one.

    Such a list is empty in all other tests, where nobody follows anybody: a constant passes them. What the user has
    made is there as well, so that it shows what it leaves out. It is also read in pages, and after the deed was undone.

    Args:
        second, third: further requests by the name of their operation.
        most: how many ways of filling a list are tried.
        wanted: names of the operations that they are proposed for; None for all.
        filled: names of those whose lists have members in other tests.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    found: list[Proposal] = []
    done = set(filled)
    ways = (way for way in in_turns(_ways(world)) if is_wanted(way[0].operation, wanted))
    for way in islice((way for way in ways if way[0].operation.name not in done), most):
        for setup in _setups(way, second, third):
            if await _is_filled(finder, way, setup):
                done.add(way[0].operation.name)
                found += _readings(world, way, setup)
                break
    return found


def _ways(world: ResourceModel) -> Iterator[list[Way]]:
    """Yield, for each empty list of a user, the deeds that name another user with the things that one can make."""
    known = [one for one in world.baselines.values() if auth_names(one.request) == (USER,)]
    deeds = [one for one in known if one.operation.method in ("POST", "PUT") and names_other(one.request)]
    makers = [one for one in known if one.operation.method == "POST" and not names_other(one.request)]
    for reading in known if OTHER in world.users else ():
        if reading.operation.method == "GET" and not reading.setup and lists_nothing(reading.answer):
            yield [(reading, deed, maker) for deed in deeds for maker in makers]


def _setups(way: Way, second: Others, third: Others) -> Iterator[Setup]:
    """Yield the requests that fill a list: two things of the other user and one of the user's own, then one alone.

    The other user does the same first, so that the user's own thing is somebody's news as well: where a list forgets
    who asks, it has this one, too. That, and making something of one's own, may not be possible.
    """
    _, deed, maker = way
    name = maker.operation.name
    theirs = tuple(by_other(step) for step in maker.story)
    if name in second and name in third:
        several = (*theirs, by_other(third[name].saving), second[name].saving)
        yield Setup(_after((*several, by_other(of_user(copy_request(deed.request)))), deed), several=True)
        yield Setup(_after(several, deed), several=True)
    yield Setup(_after(theirs, deed), several=False)


def _after(made: tuple[Json, ...], deed: BaselineRequest) -> tuple[Json, ...]:
    return tuple(merge_setups(merge_setups(made, deed.setup), [deed.saving]))


async def _is_filled(finder: BaselineFinder, way: Way, setup: Setup) -> bool:
    """Whether a list has members after all of a setup, and none without the deed or after it alone."""
    reading, deed, _ = way
    answers = [
        await last_answer(finder, (*steps, reading.request))
        for steps in (setup.steps, [step for step in setup.steps if step != deed.saving], deed.story)
    ]
    counts = [None if answer is None else count_members(answer) for answer in answers]
    return bool(counts[0]) and counts[1:] == [0, 0]


def _readings(world: ResourceModel, way: Way, setup: Setup) -> Iterator[Proposal]:
    reading, deed, _ = way
    after, label = f"after_{deed.operation.name}", f"after {deed.operation.label}"
    marks: Json = {"priority": "critical", "wants": "success"}
    told, steps = f"lists what another user made {label}", setup.steps
    yield make_proposal(reading, f"lists_theirs_{after}", told, "success", reading.request, setup=steps, **marks)
    undo = next((one for one in world.baselines.values() if _undoes(one, deed)), None)
    if undo is not None:
        request = {**copy_request(undo.request), "path_parameters": deed.request.get("path_parameters")}
        name, told = f"after_{undo.operation.name}", f"after {undo.operation.label}"
        more = (*steps, request)
        yield make_proposal(reading, name, told, "state", reading.request, setup=more, **marks)
    for parameter in reading.operation.parameters if setup.several else ():
        if parameter.where == "query" and (paging.counts(parameter.name) or paging.skips(parameter.name)):
            cut = asked_for_one(world, reading, parameter)
            title, told = f"filled_by_{parameter.name}_1", f"lists by {parameter.name} 1"
            if cut is not None:
                yield make_proposal(reading, title, told, "success", cut, setup=steps, group=PAGES, priority="high")


def _undoes(one: BaselineRequest, deed: BaselineRequest) -> bool:
    return one.operation.method == "DELETE" and one.operation.path == deed.operation.path
