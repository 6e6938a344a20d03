"""Proposes sequences: repeated requests, pairs of changes, skipped steps, readings after a change, filled lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..document.schemas import type_of
from ..model.model import UNSAFE, ApiParameter, Json, Operation, Proposal
from ..values.data import NOTHING
from ..values.negative_requests import edge_values
from .propose_values import copy_request, make_proposal, with_body
from .resource_model import BaselineRequest, ResourceModel, merge_setups, put_parameter, variables_in

_MOST_PAIRS = 4


def repeated_requests(world: ResourceModel, baseline: BaselineRequest) -> Iterator[Proposal]:
    """Yield the request sent twice, and each pair of changes to an enumeration."""
    operation = baseline.operation
    if operation.method not in UNSAFE:
        return
    story = baseline.story
    yield make_proposal(baseline, "twice", "called twice", "state", baseline.request, setup=story, priority="high")
    if operation.method not in ("PATCH", "PUT") or operation.body is None:
        return
    content = (baseline.request.get("body") or {}).get("content")
    for name, inner in world.samples.properties(operation.body.schema).items():
        values = world.samples.merged(inner).get("enum")
        if not isinstance(values, list) or not isinstance(content, dict) or len(values) > _MOST_PAIRS:
            continue
        for first in values:
            for then in values:
                before = with_body(baseline.request, {**content, name: first})
                if before == baseline.request and then == content.get(name):
                    continue
                title, words = f"{name}_{then}_after_{first}", f"asked for {name} {then} after {first}"
                request, setup = with_body(baseline.request, {**content, name: then}), (*baseline.setup, before)
                yield make_proposal(baseline, title, words, "state", request, setup=setup, group=f"changes_{name}")


def readings_after_change(
    world: ResourceModel,
) -> Iterator[tuple[BaselineRequest, BaselineRequest, Proposal, Proposal]]:
    """Yield, for each change and each reading, the reading before and after it."""
    for change in world.baselines.values():
        if change.operation.method not in UNSAFE:
            continue
        for reading in world.baselines.values():
            if reading.operation.method != "GET":
                continue
            saving = change.saving
            setup = tuple(step for step in merge_setups(change.setup, reading.setup) if step != saving)
            before = make_proposal(reading, "before", "before", "state", reading.request, setup=setup)
            name, words = f"after_{change.operation.name}", f"after {change.operation.label}"
            after = make_proposal(
                reading, name, words, "state", reading.request, setup=(*setup, saving), priority="high"
            )
            yield change, reading, before, after


def filled_lists(world: ResourceModel, other: dict[str, BaselineRequest]) -> Iterator[Proposal]:
    """Yield readings of a collection with two different members, plain and with each parameter.

    Args:
        other: operation name → the request for a second, different member.
    """
    for reading in world.baselines.values():
        operation = reading.operation
        if operation.method != "GET" or reading.operation.path.endswith("}"):
            continue
        makers = [baseline for baseline in world.baselines.values() if _fills(baseline.operation, operation)]
        story: list[Json] = []
        for maker in makers:
            story = merge_setups(story, maker.story)
            second = other.get(maker.operation.name)
            if second is not None:
                story = merge_setups(story, second.story)
        if not story:
            continue
        setup = tuple(merge_setups(reading.setup, story))
        words, marks = "lists what was made", {"wants": "success", "setup": setup, "priority": "high"}
        yield make_proposal(reading, "lists_what_was_made", words, "success", reading.request, **marks)
        for parameter in operation.parameters:
            if parameter.where != "query":
                continue
            for value in _separating_values(world, parameter, story):
                request = copy_request(reading.request)
                put_parameter(request, parameter, value)
                name, words = f"filled_by_{parameter.name}_{str(value)[:30]}", f"lists by {parameter.name} {value}"
                marks = {"setup": setup, "group": "filters", "priority": "high"}
                yield make_proposal(reading, name, words, "success", request, **marks)


def _fills(maker: Operation, collection: Operation) -> bool:
    path = collection.path.rstrip("/")
    if maker.method == "POST":
        return maker.path.rstrip("/") == path
    return maker.method == "PUT" and re.fullmatch(re.escape(path) + r"/\{[^/]+\}/?", maker.path) is not None


def _separating_values(world: ResourceModel, parameter: ApiParameter, story: list[Json]) -> list[Any]:
    """Return filter values that separate the members: their own values, and the boundaries."""
    values: list[Any] = []
    named = parameter.name.lower()
    for request in story:
        for content in ((request.get("body") or {}).get("content"), request.get("path_parameters")):
            if isinstance(content, dict):
                values += [one for key, one in content.items() if key.lower() == named and "{{" not in str(one)]
    whole = world.samples.merged(parameter.schema)
    if isinstance(whole.get("enum"), list):
        values += [one for one in whole["enum"] if one is not None]
    elif type_of(whole) in ("integer", "number") or whole.get("format") in ("date", "date-time"):
        numbers = [
            scalar for request in story for scalar in _scalars((request.get("body") or {}).get("content"), whole)
        ]
        values += numbers
        values += [number + 1 for number in numbers if isinstance(number, int)]
        values.append(world.samples.value(parameter.schema, parameter.name))
    elif type_of(whole) == "boolean":
        values += [True, False]
    else:
        texts = [text for request in story for text in _texts(request)]
        values += [text[:2] for text in texts[:3]]
    values += [value.value for value in edge_values(parameter.schema, world.samples, parameter.name)]
    good = [
        value for value in values if value is not NOTHING and world.samples.problem(value, parameter.schema) is None
    ]
    return list({repr(one): one for one in good}.values())[:8]


def _scalars(content: Any, whole: Any) -> list[Any]:
    found = content.values() if isinstance(content, dict) else ()
    if type_of(whole) in ("integer", "number"):
        return [one for one in found if isinstance(one, int | float) and not isinstance(one, bool)]
    return [one for one in found if isinstance(one, str) and re.match(r"\d{4}-\d\d-\d\d", one)]


def _texts(request: Json) -> list[str]:
    parts = [request.get("path_parameters") or {}, (request.get("body") or {}).get("content")]
    return [
        one
        for part in parts
        if isinstance(part, dict)
        for one in part.values()
        if isinstance(one, str) and "{{" not in one and len(one) > 1
    ]


def skipped_steps(baseline: BaselineRequest) -> Iterator[Proposal]:
    """Yield the request with one setup step left out, where nothing later uses that step's result."""
    for place, step in enumerate(baseline.setup):
        rest = (*baseline.setup[:place], *baseline.setup[place + 1 :])
        later = {name for one in (*baseline.setup[place + 1 :], baseline.request) for name in variables_in(one)}
        if later & set(step.get("save") or ()):
            continue
        label = f"{step['method']} {step['path']}"
        yield make_proposal(
            baseline, f"without_{label}", f"without {label} before it", "state", baseline.request, setup=rest
        )
