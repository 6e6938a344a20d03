"""Finds what a list shows only after several changes of one user together; what others make is in `lists.feeds`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...document.auth import auth_names
from ...model.model import ApiParameter, Json, Proposal
from ...values import paging
from ..baselines import BaselineFinder
from ..budget import is_wanted
from ..distinct import Others
from ..execute import all_worked
from ..lists.members import asked_for_one, lists_nothing, most_members
from ..propose_values import copy_request, make_proposal
from ..resource_model import BaselineRequest, ResourceModel, is_complete, merge_setups
from ..sign_in.users import OTHER, USER

_MOST_LISTS = 8
# Each is left out once, and all others are sent again then.
_MOST_CHANGES = 20


async def together_proposals(
    finder: BaselineFinder,
    world: ResourceModel,
    changed: Iterable[Proposal],
    second: Others,
    most: int,
    wanted: Collection[str] | None = None,
) -> list[Proposal]:
    """Return readings of lists that no single change fills, after those that fill it together, and by another user.

    Where a second thing is a second member, the list is cut short and read from the second member on as well.

    Args:
        changed: readings of which a single change is known to touch the answer.
        second: second requests by the name of their operation.
        most: how many sequences are sent; a list that is not done by then has no reading.
        wanted: names of the operations that they are proposed for; None for all.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    touched = {proposal.operation.name for proposal in changed}
    found: list[Proposal] = []
    tries = _Tries(finder, most)
    empty = [one for one in world.baselines.values() if _is_empty(one) and one.operation.name not in touched]
    for reading in [one for one in empty if is_wanted(one.operation, wanted)][:_MOST_LISTS]:
        found += await _of_list(tries, world, reading, second)
    return found


def _is_empty(baseline: BaselineRequest) -> bool:
    """Whether a request reads a list that has no members yet."""
    reads = baseline.operation.method == "GET" and not baseline.operation.path.endswith("}")
    return reads and lists_nothing(baseline.answer)


@dataclass(slots=True)
class _Tries:
    """Fills lists as long as sequences are left to be sent; after that nothing is filled."""

    finder: BaselineFinder
    left: int

    async def fill(self, setup: Sequence[Json], request: Json, *, least: int = 1) -> bool:
        if not self.left:
            return False
        self.left -= 1
        steps = (*setup, request)
        answers = await self.finder.send(steps)
        return all_worked(answers, steps) and most_members(answers[-1]) >= least


async def _of_list(tries: _Tries, world: ResourceModel, reading: BaselineRequest, second: Others) -> list[Proposal]:
    setup = tuple(merge_setups(reading.setup, await tries.finder.everything(reading.operation)))
    if len(setup) > _MOST_CHANGES or not await tries.fill(setup, reading.request):
        return []
    setup = await _fewest(tries, setup, reading.request)
    several = len([step for step in setup if step not in reading.setup]) > 1
    if not several or not tries.left:
        return []
    name, words = "after_several_changes", "after several changes together"
    marks: Json = {"setup": setup, "priority": "critical"}
    request = copy_request(reading.request)
    found = [make_proposal(reading, name, words, "state", request, **marks)]
    theirs: Json = {**request, "auth": OTHER}
    asked_by_user = auth_names(request) == (USER,) and OTHER in world.users
    if asked_by_user and not await tries.fill(setup, theirs):
        words = f"{words}, asked by another user than the one who made them"
        found.append(make_proposal(reading, f"{name}_for_another_user", words, "state", theirs, **marks))
    return [*found, *await _cut_short(tries, world, reading, setup, second)]


async def _cut_short(
    tries: _Tries, world: ResourceModel, reading: BaselineRequest, setup: tuple[Json, ...], second: Others
) -> list[Proposal]:
    """Return readings of one of two members, where a second thing made by who made the first is another member."""
    queries = [known for known in reading.operation.parameters if known.where == "query"]
    cutting = [known for known in queries if paging.counts(known.name) or paging.skips(known.name)]
    for made in ({**other.request, "auth": step.get("auth")} for step in setup for other in _others(step, second)):
        more = (*setup, {key: entry for key, entry in made.items() if key != "save" and entry is not None})
        if not cutting or not is_complete((*more, reading.request)):
            continue
        if await tries.fill(more, reading.request, least=2):
            marks: Json = {"setup": more, "priority": "high"}
            words, request = "lists both that several changes fill", copy_request(reading.request)
            both = make_proposal(reading, "lists_both", words, "state", request, **marks)
            cut = (_cut(world, reading, parameter, more) for parameter in cutting)
            return [both, *(one for one in cut if one is not None)]
    return []


def _others(step: Json, second: Others) -> Iterator[BaselineRequest]:
    """Yield the request that makes a second thing where a step makes the first one."""
    for other in second.values():
        if other.is_like(step):
            yield other


def _cut(
    world: ResourceModel, reading: BaselineRequest, parameter: ApiParameter, setup: tuple[Json, ...]
) -> Proposal | None:
    """Return the reading of one member; None where the document does not allow that."""
    request = asked_for_one(world, reading, parameter)
    if request is None:
        return None
    name, words = f"filled_by_{parameter.name}", f"lists by {parameter.name} 1 what several changes fill"
    marks: Json = {"setup": setup, "priority": "high", "wants": "success"}
    return make_proposal(reading, name, words, "state", request, **marks)


async def _fewest(tries: _Tries, setup: tuple[Json, ...], request: Json) -> tuple[Json, ...]:
    """Return those of some requests that fill a list together, each of which is needed."""
    kept = list(setup)
    for step in reversed(setup):
        shorter = [other for other in kept if other is not step]
        if is_complete((*shorter, request)) and await tries.fill(shorter, request):
            kept = shorter
    return tuple(kept)
