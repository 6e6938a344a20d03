"""Proposes requests for every operation with a baseline.

A plain call, each optional part, each constraint at its edge and violated once, missing and wrong credentials, unknown
ids, wrong method and media type, and readings by other operations afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..document.auth import Credential
from ..document.schemas import type_of
from ..model.model import MALFORMED, UNSAFE, ApiParameter, Json, Proposal
from ..values.data import NOTHING
from .distinct import NO_OTHERS, Others, request_key, unwrapped
from .propose_access import access_proposals
from .propose_updates import content_schema, wrapped
from .propose_values import (
    body_proposals,
    boundary_readings,
    copy_request,
    make_proposal,
    make_refusal,
    parameter_proposals,
    with_body,
)
from .resource_model import BaselineRequest, ResourceModel, fields_of, merge_setups, put_parameter, variables_in
from .sign_in.shapes import part_of
from .sign_in.users import by_other, is_made_by_user, names_other

_MEDIA_STATUSES = (400, 415, 422)
_UNKNOWN_NUMBER = 999999
PUT_UNKNOWN = "put_unknown"
"""The group of updates, by an unknown id, of what another request makes: they may make it, too."""
_UNKNOWN_UUID = "00000000-0000-4000-8000-000000000000"


def proposals_for(
    world: ResourceModel, baseline: BaselineRequest, credentials: dict[str, Credential]
) -> Iterator[Proposal]:
    """Yield proposals for one operation, the most informative first."""
    words = f"succeeds: {baseline.operation.summary}" if baseline.operation.summary else "succeeds"
    yield make_proposal(baseline, "succeeds", words, "success", baseline.request, wants="success", priority="critical")
    yield from access_proposals(world, baseline, credentials)
    yield from _unknown(world, baseline)
    yield from body_proposals(world, baseline)
    yield from boundary_readings(world, baseline)
    yield from parameter_proposals(world, baseline)
    yield from _other_media(baseline)
    yield from repeated_requests(world, baseline)
    yield from skipped_steps(baseline)


def _unknown(world: ResourceModel, baseline: BaselineRequest) -> Iterator[Proposal]:
    """Yield requests for unknown ids; the setup is kept, so that other resources exist."""
    for parameter in baseline.operation.path_parameters:
        whole = world.samples.merged(parameter.schema)
        kind, form = type_of(whole), whole.get("format")
        value: Any = _UNKNOWN_UUID if form == "uuid" else _UNKNOWN_NUMBER
        if kind not in ("integer", "number") and form != "uuid":
            value = "unknown" if world.samples.problem("unknown", parameter.schema) is None else NOTHING
        if value is NOTHING or world.samples.problem(value, parameter.schema) is not None:
            continue
        request = copy_request(baseline.request)
        put_parameter(request, parameter, value)
        # The other ids of the path are those of resources that the setup creates.
        needed = len(baseline.operation.path_parameters) > 1 and variables_in(request)
        setup = baseline.setup if needed else ()
        whole_body = _body_of_producer(world, baseline, parameter)
        marks: Json = {"priority": "high"}
        if whole_body is not None:
            request, setup = with_body(request, whole_body[0]), whole_body[1]
            marks["group"] = PUT_UNKNOWN
        name, words = f"unknown_{parameter.name}", f"knows no {parameter.name} {value}"
        yield make_proposal(baseline, name, words, "not_found", request, setup=setup, **marks)


def _body_of_producer(
    world: ResourceModel, baseline: BaselineRequest, parameter: ApiParameter
) -> tuple[Json, tuple[Json, ...]] | None:
    """Return what a PUT takes of the body that makes its thing, with the requests before that; None for any other.

    A PUT that lacks what a new thing needs is refused for that, whether or not it would make one.
    """
    operation, producer = baseline.operation, world.producer_of(baseline.operation, parameter)
    alone = operation.method == "PUT" and len(operation.path_parameters) == 1
    if not alone or producer is None or producer.operation.method != "POST" or operation.body is None:
        return None
    if fields_of(producer.request) is None or fields_of(baseline.request) is None:
        return None
    taken = world.samples.properties(content_schema(world, baseline))
    made = {name: value for name, value in unwrapped(producer.request).items() if name in taken}
    return wrapped(baseline, {**made, **unwrapped(baseline.request)}), producer.setup


def _other_media(baseline: BaselineRequest) -> Iterator[Proposal]:
    body = baseline.request.get("body")
    if not body or "json" not in body["media_type"]:
        return
    malformed = {**copy_request(baseline.request), "body": {**body, "content": "{not json", "raw": True}}
    marks: Json = {"name": "malformed_json", "group": MALFORMED, "statuses": _MEDIA_STATUSES}
    yield make_refusal(baseline, "a body that is no JSON", malformed, **marks)
    plain = {**copy_request(baseline.request), "body": {"media_type": "text/plain", "content": "plain text"}}
    words, breaks = "a body of another media type", "a body of the media type text/plain"
    yield make_refusal(baseline, words, plain, name="wrong_media_type", breaks=breaks, statuses=_MEDIA_STATUSES)


def wrong_methods(world: ResourceModel) -> Iterator[Proposal]:
    """Yield, for each path, a request with a method that the document does not declare."""
    by_path: dict[str, list[BaselineRequest]] = {}
    for baseline in world.baselines.values():
        by_path.setdefault(baseline.operation.path, []).append(baseline)
    for path, known in by_path.items():
        offered = {operation.method for operation in world.api.operations if operation.path == path}
        method = next((choice for choice in ("PATCH", "PUT", "DELETE", "POST") if choice not in offered), None)
        if method is None:
            continue
        values = known[0].request.get("path_parameters")
        request: Json = {"method": method, "path": path}
        if values:
            request["path_parameters"] = {name: 1 if "{{" in str(value) else value for name, value in values.items()}
        name, title = f"method_{method.lower()}", f"{path} has no method {method}"
        marks: Json = {"breaks": f"the method {method}", "group": "methods", "statuses": (404, 405), "priority": "low"}
        yield Proposal(known[0].operation, name, title, "contract", request, wants="refusal", **marks)


_MOST_PAIRS = 4


def repeated_requests(world: ResourceModel, baseline: BaselineRequest) -> Iterator[Proposal]:
    """Yield the request sent twice, and each pair of changes to an enumeration."""
    operation = baseline.operation
    if operation.method not in UNSAFE:
        return
    story = baseline.story
    # A request that has a key of its own is carried out once: the second answer may tell that by its status.
    marks: Json = {"setup": story, "priority": "high", "statuses": (200,) if request_key(baseline) else ()}
    yield make_proposal(baseline, "twice", "called twice", "state", baseline.request, **marks)
    if operation.method not in ("PATCH", "PUT") or operation.body is None:
        return
    content = fields_of(baseline.request)
    if content is None:
        return
    for name, inner in world.samples.properties(operation.body.schema).items():
        values = world.samples.merged(inner).get("enum")
        if not isinstance(values, list) or len(values) > _MOST_PAIRS:
            continue
        for first in values:
            for then in values:
                before = with_body(baseline.request, {**content, name: first})
                if before == baseline.request and then == content.get(name):
                    continue
                title, words = f"{name}_{then}_after_{first}", f"asked for {name} {then} after {first}"
                request, setup = with_body(baseline.request, {**content, name: then}), (*baseline.setup, before)
                yield make_proposal(baseline, title, words, "state", request, setup=setup, group=f"changes_{name}")


def _of_same_user(change: BaselineRequest, reading: BaselineRequest) -> BaselineRequest:
    """Return a reading of the user whom a change names in its path: who is followed, and not who follows."""
    theirs, mine = (one.request.get("path_parameters") or {} for one in (change, reading))
    named = {
        name: value
        for name, value in theirs.items()
        if name in mine and mine[name] != value and "{{" in str(value) and part_of(name) in ("name", "email")
    }
    return replace(reading, request={**reading.request, "path_parameters": {**mine, **named}}) if named else reading


def _of_what_they_made(change: BaselineRequest, reading: BaselineRequest) -> BaselineRequest | None:
    """Return the reading of what the user made whom a change names in its path; None where a reading needs nothing."""
    # What the change needs itself has been done already, by whom it has to be.
    made = [step for step in reading.setup if step not in change.setup and step != change.saving]
    if not names_other(change.request) or not any(map(is_made_by_user, made)):
        return None
    return replace(reading, setup=tuple(by_other(step) if step in made else step for step in reading.setup))


def _sibling(
    world: ResourceModel, change: BaselineRequest, reading: BaselineRequest, second: Others
) -> tuple[Json, ...]:
    """Return what makes another one like what is removed, where the list of them is read; nothing for any other."""
    removed, listed = change.operation, reading.operation.path.rstrip("/")
    if removed.method != "DELETE" or not removed.path.endswith("}") or removed.path.rpartition("/")[0] != listed:
        return ()
    producer = world.producer_of(removed, removed.path_parameters[-1])
    other = second.get(producer.operation.name) if producer is not None else None
    return (other.saving,) if other is not None else ()


def _around(
    world: ResourceModel, change: BaselineRequest, reading: BaselineRequest, second: Others
) -> tuple[BaselineRequest, BaselineRequest, Proposal, Proposal]:
    """Return a change and a reading, with the reading before and after it."""
    saving = change.saving
    setup = tuple(step for step in merge_setups(change.setup, reading.setup) if step != saving)
    setup = tuple(merge_setups(setup, _sibling(world, change, reading, second)))
    before = make_proposal(reading, "before", "before", "state", reading.request, setup=setup)
    name, words = f"after_{change.operation.name}", f"after {change.operation.label}"
    marks: Json = {"setup": (*setup, saving), "priority": "high"}
    return change, reading, before, make_proposal(reading, name, words, "state", reading.request, **marks)


def readings_after_change(
    world: ResourceModel, varied: Others = NO_OTHERS, second: Others = NO_OTHERS
) -> Iterator[tuple[BaselineRequest, BaselineRequest, Proposal, Proposal]]:
    """Yield, for each change and each reading, the reading before and after it.

    Args:
        second: second requests by the name of their operation: what is removed has one like it in its list, which
            stays.
        varied: baselines with other values than the plainest, which show more of what is made; see `varied_stories`.
    """
    for usual in world.baselines.values():
        if usual.operation.method not in UNSAFE:
            continue
        other = varied.get(usual.operation.name) if usual.operation.method == "POST" else None
        for reading in world.baselines.values():
            if reading.operation.method != "GET":
                continue
            change = usual
            if other is not None:
                # One thing is made once: both tell of it with the same values.
                told = varied.get(reading.operation.name)
                shared = [step for step in reading.setup if step in usual.story and step not in other.story]
                change, reading = (other, told or reading) if told is not None or not shared else (usual, reading)
            theirs = _of_what_they_made(change, reading)
            if theirs is not None:
                yield _around(world, change, theirs, second)
            reading = _of_same_user(change, reading)
            usually = _around(world, change, reading, second)
            yield usually
            if request_key(change):
                before, saving = usually[2], change.saving
                setup = before.setup
                again = tuple(merge_setups(setup, [saving]))
                name, words = f"after_{change.operation.name}_twice", f"after {change.operation.label} twice"
                twice = make_proposal(
                    reading, name, words, "state", reading.request, setup=(*again, copy_request(change.request))
                )
                yield change, reading, before, replace(twice, priority="critical")


def skipped_steps(baseline: BaselineRequest) -> Iterator[Proposal]:
    """Yield the request with one setup step left out, where nothing later uses that step's result."""
    for place, step in enumerate(baseline.setup):
        rest = (*baseline.setup[:place], *baseline.setup[place + 1 :])
        later = {name for step in (*baseline.setup[place + 1 :], baseline.request) for name in variables_in(step)}
        # Without the saved id the later request cannot even be built.
        if later & set(step.get("save") or ()):
            continue
        label = f"{step['method']} {step['path']}"
        name, words = f"without_{label}", f"without {label} before it"
        yield make_proposal(baseline, name, words, "state", baseline.request, setup=rest)
