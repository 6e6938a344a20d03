"""Finds how far the numbers of a change may go in a state, where no document says so: the last piece, the last seat."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

from ...document.schemas import type_of
from ...model.model import UNSAFE, Json, Proposal
from ...values.data import bounds
from ..baselines import BaselineFinder
from ..distinct import Others
from ..propose_values import copy_request, make_proposal, with_body
from ..resource_model import BaselineRequest, ResourceModel, is_complete

_FAR = 1_000_000
_REFUSED = (400, 403, 409, 422)
_MOST_SEARCHES = 12


@dataclass(frozen=True, slots=True)
class _Search:
    """A number that may have a limit: the field, what is sent before, a value that works, and one far from it."""

    baseline: BaselineRequest
    setup: tuple[Json, ...]
    name: str
    near: int
    far: int

    def request(self, number: int) -> Json:
        content = self.baseline.request["body"]["content"]
        return with_body(self.baseline.request, {**content, self.name: number})


async def limit_proposals(
    finder: BaselineFinder, world: ResourceModel, second: Others, wanted: Collection[str] | None = None
) -> list[Proposal]:
    """Return, for numbers that a state bounds, the last one that is taken and the first one that is refused.

    Args:
        second: second requests by the name of their operation: what was put in before may be taken out.
        wanted: names of the operations that they are proposed for; None for all.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    found: list[Proposal] = []
    searches = (one for one in _searches(world, second) if wanted is None or one.baseline.operation.name in wanted)
    bounded = 0
    for search in islice(searches, 4 * _MOST_SEARCHES):
        if bounded == _MOST_SEARCHES:
            break
        if not await _is_refused(finder, search, search.far) or not await _is_taken(finder, search, search.near):
            continue
        bounded += 1
        last = await _last_taken(finder, search)
        if last is not None:
            found += _at(search, last)
    return found


def _searches(world: ResourceModel, second: Others) -> Iterator[_Search]:
    for baseline in world.baselines.values():
        body, content = baseline.operation.body, (baseline.request.get("body") or {}).get("content")
        if baseline.operation.method not in UNSAFE or body is None or not isinstance(content, dict):
            continue
        other = second.get(baseline.operation.name)
        before = copy_request((other or baseline).request)
        setup = (*baseline.setup, before) if baseline.operation.method == "POST" else baseline.setup
        properties = world.samples.properties(body.schema)
        for name, value in content.items():
            whole = world.samples.merged(properties.get(name, True))
            counted = isinstance(value, int) and not isinstance(value, bool) and "enum" not in whole
            if (
                not counted
                or type_of(whole) not in ("integer", "number")
                or not is_complete((*setup, baseline.request))
            ):
                continue
            low, high = bounds(whole)
            for far in (-_FAR if low is None else int(low), _FAR if high is None else int(high)):
                if far != value:
                    yield _Search(baseline, setup, name, value, far)


async def _is_taken(finder: BaselineFinder, search: _Search, number: int) -> bool:
    answers = await finder.send((*search.setup, search.request(number)))
    return len(answers) == len(search.setup) + 1 and all(answer.ok for answer in answers)


async def _is_refused(finder: BaselineFinder, search: _Search, number: int) -> bool:
    answers = await finder.send((*search.setup, search.request(number)))
    whole = len(answers) == len(search.setup) + 1 and all(answer.ok for answer in answers[:-1])
    return whole and answers[-1].status in _REFUSED


async def _last_taken(finder: BaselineFinder, search: _Search) -> int | None:
    """Return the last number from the near one to the far one that is taken, by halving; None where it is unclear."""
    taken, refused = search.near, search.far
    # A limit is rarely far away: steps that double find it sooner than halves of the whole way.
    step = 1 if refused > taken else -1
    while abs(step) < abs(refused - taken):
        if not await _is_taken(finder, search, taken + step):
            refused = taken + step
            break
        taken, step = taken + step, 2 * step
    while abs(refused - taken) > 1:
        middle = (taken + refused) // 2
        if await _is_taken(finder, search, middle):
            taken = middle
        else:
            refused = middle
    return taken if await _is_refused(finder, search, refused) else None


def _at(search: _Search, last: int) -> Iterator[Proposal]:
    """Yield the request with the last number that is taken, and with the next one."""
    beyond = last + (1 if search.far > search.near else -1)
    side, over = ("highest", "above") if beyond > last else ("lowest", "below")
    marks: Json = {"setup": search.setup, "priority": "high"}
    asked = (
        (f"with_the_{side}_{search.name}", f"with {search.name} {last}, the {side} that is taken", last),
        (f"{over}_the_{side}_{search.name}", f"with {search.name} {beyond}, {over} the {side} that is taken", beyond),
    )
    for name, words, number in asked:
        yield make_proposal(search.baseline, name, words, "state", search.request(number), **marks)
