"""Finds what becomes of several parts in one body, of which neighbours differ: items of an order, tags."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from ...document.schemas import type_of
from ...model.model import Json, Proposal
from ...values.data import SampleValues
from ..baselines import BaselineFinder
from ..budget import is_wanted
from ..distinct import other_or_same, third_value
from ..propose_values import make_proposal, with_body
from ..resource_model import BaselineRequest, ResourceModel, fields_of, merge_setups, readings_of
from .answers import last_answer

_STEPS = (11, 5)
"""By how much the numbers of the second and third part differ from those of the first."""


async def part_proposals(
    finder: BaselineFinder, world: ResourceModel, most: int, wanted: Collection[str] | None = None
) -> list[Proposal]:
    """Return requests whose lists have three parts, where they are taken, and what is read after them.

    Neighbours differ. Sorted up or down, the parts would stand in another order, where other values are found for that.

    Args:
        most: how many of them are tried.
        wanted: names of the operations that they are proposed for; None for all.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    found: list[Proposal] = []
    tried = ((*one, _reading(world, one[0])) for one in _requests(world))
    asked = (one for one in tried if _is_wanted(one[0], wanted) or _is_wanted(one[3], wanted))
    for baseline, name, request, reading in islice(asked, most):
        if await last_answer(finder, (*baseline.setup, request)) is None:
            continue
        words = f"with several {name}"
        marks: Json = {"priority": "high"}
        if _is_wanted(baseline, wanted):
            found.append(make_proposal(baseline, f"with_several_{name}", words, "success", request, **marks))
        if reading is not None and _is_wanted(reading, wanted):
            rest = [known for known in reading.setup if known != baseline.saving]
            marks["setup"] = tuple(merge_setups(replace(baseline, request=request).story, rest))
            title, told = f"after_{baseline.operation.name}_with_several_{name}", f"after {baseline.operation.label}"
            found.append(make_proposal(reading, title, f"{told} {words}", "state", dict(reading.request), **marks))
    return found


def _is_wanted(known: BaselineRequest | None, wanted: Collection[str] | None) -> bool:
    return known is not None and is_wanted(known.operation, wanted)


def _requests(world: ResourceModel) -> Iterator[tuple[BaselineRequest, str, Json]]:
    """Yield each request with a list in its body, the name of the list, and the request with three parts in it."""
    for baseline in world.baselines.values():
        body, content = baseline.operation.body, fields_of(baseline.request)
        if body is None or baseline.operation.method not in ("POST", "PUT", "PATCH") or content is None:
            continue
        for name, inner in world.samples.properties(body.schema).items():
            whole = world.samples.merged(inner)
            given = content.get(name)
            first = given[:1] if isinstance(given, list) and given else world.samples.items(inner, name, 1)
            if type_of(whole) != "array" or not first:
                continue
            parts = [_part(whole.get("items", True), first[0], number, world.samples) for number in range(3)]
            other = {**content, name: parts}
            if parts[1] not in (parts[0], parts[2]) and world.samples.problem(other, body.schema) is None:
                yield baseline, name, with_body(baseline.request, other)


def _part(schema: Any, value: Any, number: int, samples: SampleValues) -> Any:
    """Return the first, second or third part, whose texts and numbers are sorted neither up nor down where they may."""
    if isinstance(value, dict):
        properties = samples.properties(schema)
        return {name: _part(properties.get(name, True), entry, number, samples) for name, entry in value.items()}
    if not number or isinstance(value, bool | list | None):
        return value
    if isinstance(value, str) and number > 1:
        return third_value(schema, value, _part(schema, value, 1, samples), samples)
    return other_or_same(schema, value, samples, step=_STEPS[number - 1])


def _reading(world: ResourceModel, baseline: BaselineRequest) -> BaselineRequest | None:
    """Return the reading of the thing that a request makes or changes."""
    known = readings_of(world, baseline.operation)
    if baseline.operation.method == "POST":
        known = (one for one in known if one.operation.path.endswith("}") and baseline.saving in one.setup)
    return next(known, None)
