"""Finds what becomes of several parts in one body: items of an order, tags, in an order that is neither up nor down."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any

from ...document.schemas import type_of
from ...model.model import Json, Proposal
from ...values.data import NOTHING, SampleValues
from ..baselines import BaselineFinder
from ..distinct import other_value, third_value
from ..propose_values import make_proposal, with_body
from ..resource_model import BaselineRequest, ResourceModel, merge_setups

_STEPS = (11, 5)
"""By how much the numbers of the second and third part differ from those of the first."""
_MOST = 20


async def part_proposals(
    finder: BaselineFinder, world: ResourceModel, wanted: Collection[str] | None = None
) -> list[Proposal]:
    """Return requests whose lists have three different parts, where they are taken, and what is read after them.

    Args:
        wanted: names of the operations that they are proposed for; None for all.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    found: list[Proposal] = []
    for baseline, name, request in islice(_requests(world), _MOST):
        answers = await finder.send((*baseline.setup, request))
        if len(answers) != len(baseline.setup) + 1 or not answers[-1].ok:
            continue
        words = f"with several {name}"
        marks: Json = {"priority": "high"}
        if wanted is None or baseline.operation.name in wanted:
            found.append(make_proposal(baseline, f"with_several_{name}", words, "success", request, **marks))
        reading = _reading(world, baseline)
        if reading is not None and (wanted is None or reading.operation.name in wanted):
            step = {**request, "save": dict(baseline.saves)} if baseline.saves else request
            rest = [known for known in reading.setup if known != baseline.saving]
            marks["setup"] = tuple(merge_setups(merge_setups(baseline.setup, [step]), rest))
            title, told = f"after_{baseline.operation.name}_with_several_{name}", f"after {baseline.operation.label}"
            found.append(make_proposal(reading, title, f"{told} {words}", "state", dict(reading.request), **marks))
    return found


def _requests(world: ResourceModel) -> Iterator[tuple[BaselineRequest, str, Json]]:
    """Yield each request with a list in its body, the name of the list, and the request with three parts in it."""
    for baseline in world.baselines.values():
        body, content = baseline.operation.body, (baseline.request.get("body") or {}).get("content")
        if body is None or baseline.operation.method not in ("POST", "PUT", "PATCH") or not isinstance(content, dict):
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
    """Return the first, second or third part; one after the other they are sorted neither up nor down."""
    if isinstance(value, dict):
        properties = samples.properties(schema)
        return {name: _part(properties.get(name, True), entry, number, samples) for name, entry in value.items()}
    if not number or isinstance(value, bool | list | None) or "{{" in str(value):
        return value
    if isinstance(value, str) and number > 1:
        return third_value(schema, value, _part(schema, value, 1, samples), samples)
    other = other_value(schema, value, samples, step=_STEPS[number - 1])
    return value if other is NOTHING else other


def _reading(world: ResourceModel, baseline: BaselineRequest) -> BaselineRequest | None:
    """Return the reading of the thing that a request makes or changes."""
    path = baseline.operation.path.rstrip("/")
    for known in world.baselines.values():
        place = known.operation.path.rstrip("/")
        made = baseline.operation.method == "POST" and place.startswith(f"{path}/{{") and place.endswith("}")
        same = baseline.operation.method != "POST" and place == path
        if known.operation.method == "GET" and (same or (made and baseline.saving in known.setup)):
            return known
    return None
