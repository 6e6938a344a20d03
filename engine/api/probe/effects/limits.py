"""Finds how far the numbers of a change may go in a state, where no document says so: the last piece, the last seat."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ...document.schemas import type_of
from ...model.model import UNSAFE, HttpAnswer, Json, Proposal
from ...values.data import bounds
from ..baselines import BaselineFinder
from ..budget import is_wanted
from ..distinct import Others
from ..execute import all_worked
from ..propose_values import copy_request, make_proposal, with_body
from ..resource_model import BaselineRequest, ResourceModel, fields_of, is_complete

_FAR = 1_000_000
_CHOSEN = {"enum", "const", "multipleOf"}
"""What leaves numbers out between others: the next one is refused for that, and for no limit."""
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


@dataclass(slots=True)
class _Tries:
    """Sends numbers as long as requests are left to be sent; after that none is taken and none refused."""

    finder: BaselineFinder
    left: int

    async def is_taken(self, search: _Search, number: int) -> bool:
        steps = (*search.setup, search.request(number))
        return all_worked(await self._answers(steps), steps)

    async def is_refused(self, search: _Search, number: int) -> bool:
        steps = (*search.setup, search.request(number))
        answers = await self._answers(steps)
        return all_worked(answers[:-1], steps[:-1]) and bool(answers) and answers[-1].status in _REFUSED

    async def _answers(self, steps: tuple[Json, ...]) -> tuple[HttpAnswer, ...]:
        if not self.left:
            return ()
        self.left -= 1
        return await self.finder.send(steps)


async def limit_proposals(
    finder: BaselineFinder, world: ResourceModel, second: Others, most: int, wanted: Collection[str] | None = None
) -> list[Proposal]:
    """Return, for numbers that a state bounds, the last one that is taken and the first one that is refused.

    Args:
        second: second requests by the name of their operation: what was put in before may be taken out.
        most: how many numbers are sent.
        wanted: names of the operations that they are proposed for; None for all.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    found: list[Proposal] = []
    searches = (one for one in _searches(world, second) if is_wanted(one.baseline.operation, wanted))
    tries, bounded = _Tries(finder, most), 0
    for search in islice(searches, 4 * _MOST_SEARCHES):
        if bounded == _MOST_SEARCHES:
            break
        if not await tries.is_refused(search, search.far) or not await tries.is_taken(search, search.near):
            continue
        bounded += 1
        last = await _last_taken(tries, search)
        if last is not None:
            found += _at(search, last)
    return found


def _searches(world: ResourceModel, second: Others) -> Iterator[_Search]:
    for baseline in world.baselines.values():
        body, content = baseline.operation.body, fields_of(baseline.request)
        if baseline.operation.method not in UNSAFE or body is None or content is None:
            continue
        other = second.get(baseline.operation.name)
        before = copy_request((other or baseline).request)
        setup = (*baseline.setup, before) if baseline.operation.method == "POST" else baseline.setup
        if not is_complete((*setup, baseline.request)):
            continue
        properties = world.samples.properties(body.schema)
        for name, value in content.items():
            whole = world.samples.merged(properties.get(name, True))
            counted = isinstance(value, int) and not isinstance(value, bool) and not whole.keys() & _CHOSEN
            if not counted or type_of(whole) not in ("integer", "number"):
                continue
            for far in _ends(whole, value):
                if world.samples.problem(far, whole) is None:
                    yield _Search(baseline, setup, name, value, far)


def _ends(whole: Any, value: int) -> Iterator[int]:
    """Yield the least and the greatest number to ask with, without those on which the value stands or that it passes.

    Of what the document allows, nothing farther from zero than a million is asked for.
    """
    low, high = bounds(whole)
    least = -_FAR if low is None else math.ceil(max(low, -_FAR))
    greatest = _FAR if high is None else math.floor(min(high, _FAR))
    yield from (far for far, beyond in ((least, least < value), (greatest, greatest > value)) if beyond)


async def _last_taken(tries: _Tries, search: _Search) -> int | None:
    """Return the last number from the near one to the far one that is taken, by halving; None where it is unclear."""
    taken, refused = search.near, search.far
    # A limit is rarely far away: steps that double find it sooner than halves of the whole way.
    step = 1 if refused > taken else -1
    while abs(step) < abs(refused - taken):
        if not await tries.is_taken(search, taken + step):
            refused = taken + step
            break
        taken, step = taken + step, 2 * step
    while abs(refused - taken) > 1:
        middle = (taken + refused) // 2
        if await tries.is_taken(search, middle):
            taken = middle
        else:
            refused = middle
    return taken if await tries.is_refused(search, refused) else None


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
