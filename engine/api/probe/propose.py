"""Proposes requests for every operation with a baseline.

A plain call, each optional part, each constraint at its edge and violated once, missing and wrong credentials, unknown
ids, wrong method and media type, and readings by other operations afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..document.auth import Credential
from ..document.schemas import type_of
from ..model.model import UNSAFE, ApiParameter, Json, Operation, Proposal
from ..values import paging
from ..values.data import NOTHING
from ..values.negative_requests import edge_values
from .distinct import NO_OTHERS, Others, producers_with_another, renamed, request_key
from .propose_access import access_proposals, admins_list, another_users_list
from .propose_values import (
    body_proposals,
    boundary_readings,
    copy_request,
    make_proposal,
    make_refusal,
    parameter_proposals,
    with_body,
)
from .resource_model import BaselineRequest, ResourceModel, merge_setups, put_parameter, variables_in
from .sign_in.users import OTHER, USER

_MEDIA_STATUSES = (400, 415, 422)
_UNKNOWN_NUMBER = 999999
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
        name, words = f"unknown_{parameter.name}", f"knows no {parameter.name} {value}"
        yield make_proposal(baseline, name, words, "not_found", request, setup=setup, priority="high")


def _other_media(baseline: BaselineRequest) -> Iterator[Proposal]:
    body = baseline.request.get("body")
    if not body or "json" not in body["media_type"]:
        return
    malformed = {**copy_request(baseline.request), "body": {**body, "content": "{not json", "raw": True}}
    yield make_refusal(baseline, "a body that is no JSON", malformed, name="malformed_json", statuses=_MEDIA_STATUSES)
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
_MOST_DONE = 3
_MOST_EXAMPLES = 3


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
    world: ResourceModel, varied: Others = NO_OTHERS
) -> Iterator[tuple[BaselineRequest, BaselineRequest, Proposal, Proposal]]:
    """Yield, for each change and each reading, the reading before and after it.

    Args:
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
            saving = change.saving
            setup = tuple(step for step in merge_setups(change.setup, reading.setup) if step != saving)
            before = make_proposal(reading, "before", "before", "state", reading.request, setup=setup)
            name, words = f"after_{change.operation.name}", f"after {change.operation.label}"
            after = make_proposal(
                reading, name, words, "state", reading.request, setup=(*setup, saving), priority="high"
            )
            yield change, reading, before, after
            if request_key(change):
                again = tuple(merge_setups(setup, [saving]))
                name, words = f"after_{change.operation.name}_twice", f"after {change.operation.label} twice"
                twice = make_proposal(
                    reading, name, words, "state", reading.request, setup=(*again, copy_request(change.request))
                )
                yield change, reading, before, replace(twice, priority="critical")


def filled_lists(world: ResourceModel, other: Others, varied: Others = NO_OTHERS) -> Iterator[Proposal]:
    """Yield readings of a collection with two different members, plain and with each parameter.

    Args:
        other: operation name → the request for a second, different member.
        varied: baselines with other values than the plainest; see `varied_stories`.
    """
    for reading in world.baselines.values():
        operation = reading.operation
        # Only collections list members; a path that ends in an id reads one.
        if operation.method != "GET" or reading.operation.path.endswith("}"):
            continue
        makers = [baseline for baseline in world.baselines.values() if _fills(baseline, operation)]
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
        yield from another_users_list(world, reading, setup)
        yield from admins_list(world, reading, setup)
        yield from _lists_of_another_parent(world, reading, setup, other)
        yield from _second_page(reading, setup)
        apart = _told_apart_by_flags(world, reading, makers, setup, other, varied)
        for parameter in operation.parameters:
            if parameter.where != "query":
                continue
            for value in _separating_values(world, parameter, story):
                request = copy_request(reading.request)
                put_parameter(request, parameter, value)
                name, words = f"filled_by_{parameter.name}_{str(value)[:30]}", f"lists by {parameter.name} {value}"
                marks = {"setup": setup, "group": _FILTERS, "priority": "high"}
                yield make_proposal(reading, name, words, "success", request, **marks)
                if _is_flag(value):
                    for how, more in apart:
                        marks = {"setup": more, "group": f"{FLAGS}{how}", "priority": "high"}
                        told = f"{words} {how.replace('_', ' ')}"
                        yield make_proposal(reading, f"{name}_{how}", told, "success", request, **marks)


_FILTERS = "filters"
"""The group of readings of a filled list by a query."""
FLAGS = "filters_"
"""The beginning of the groups of such readings by a flag, of a list that is filled for it."""


def _is_flag(value: Any) -> bool:
    """Whether a value of a query sets a flag: what is only mine, what is low, what is done."""
    return isinstance(value, bool) or (isinstance(value, str) and value.lower() in ("true", "false", "yes", "no"))


def _told_apart_by_flags(
    world: ResourceModel,
    reading: BaselineRequest,
    makers: list[BaselineRequest],
    setup: tuple[Json, ...],
    other: Others,
    varied: Others,
) -> list[tuple[str, tuple[Json, ...]]]:
    """Return how else a list may be filled, in words, with the setup: what a flag picks out need not be in a body.

    One member is another user's; or one has had something done to it that the other has not.
    """
    found: list[tuple[str, tuple[Json, ...]]] = []
    seconds = [other[maker.operation.name].request for maker in makers if maker.operation.name in other]
    if OTHER in world.users and seconds:
        theirs = tuple(
            {**step, "auth": OTHER} if step in seconds and step.get("auth") == USER else step for step in setup
        )
        found += [("of_two_users", theirs)] if theirs != setup else []
    below = f"{reading.operation.path.rstrip('/')}/{{"
    inner = [one for one in world.baselines.values() if one.operation.path.startswith(below)]
    done = [one for one in inner if one.operation.method == "POST" and one.operation.path[-1] != "}"]
    for one in done[:_MOST_DONE]:
        # The plain parent is in the list already; what is done has amounts that matter.
        step = varied.get(one.operation.name, one).saving
        found.append((f"after_{one.operation.name}", tuple(merge_setups(merge_setups(setup, one.setup), [step]))))
    return found


def _lists_of_another_parent(
    world: ResourceModel, reading: BaselineRequest, setup: tuple[Json, ...], other: Others
) -> Iterator[Proposal]:
    """Yield the reading of a list below one parent while another parent has a member, too."""
    for _, second, names in producers_with_another(world, reading.operation, other):
        members = [step for step in setup if variables_in(step) & set(names) and step["method"] in UNSAFE]
        steps = [copy_request(step) for step in renamed(members, names)]
        if steps:
            more = tuple(merge_setups((*setup, *second.story), steps))
            words, marks = "lists only its own", {"wants": "success", "setup": more, "priority": "critical"}
            yield make_proposal(reading, "lists_only_its_own", words, "success", reading.request, **marks)


def _second_page(reading: BaselineRequest, setup: tuple[Json, ...]) -> Iterator[Proposal]:
    """Yield the reading of the second of two members by what counts and what pages, together."""
    named = [known.name for known in reading.operation.parameters if known.where == "query"]
    sizes = [name for name in named if paging.counts(name)]
    for size in sizes[:1]:
        for name in named:
            if paging.pages(name) or paging.skips(name):
                number = 2 if paging.pages(name) else 1
                request = copy_request(reading.request)
                request["query"] = {**(request.get("query") or {}), name: number, size: 1}
                title, words = f"filled_by_{name}_and_{size}", f"lists by {name} {number} and {size} 1"
                marks = {"setup": setup, "group": _FILTERS, "priority": "high"}
                yield make_proposal(reading, title, words, "success", request, **marks)


def _fills(maker: BaselineRequest, collection: Operation) -> bool:
    path = collection.path.rstrip("/")
    if maker.operation.method == "POST":
        return maker.operation.path.rstrip("/") == path
    own = re.fullmatch(re.escape(path) + r"/\{[^/]+\}/?", maker.operation.path) is not None
    # What another request has made before is changed by it, and no second member.
    made = any(step["method"] == "POST" and step["path"].rstrip("/") == path for step in maker.setup)
    return maker.operation.method == "PUT" and own and not made


def _separating_values(world: ResourceModel, parameter: ApiParameter, story: list[Json]) -> list[Any]:
    """Return filter values that separate the members: their own values, and the boundaries."""
    values: list[Any] = list(_paging_values(parameter, story))
    # What counts or pages is no property of a member.
    if paging.cuts(parameter.name) and not _is_property(world.samples.merged(parameter.schema)):
        values.append(world.samples.value(parameter.schema, parameter.name))
    else:
        values += _member_values(world, parameter, story)
    values += [value.value for value in edge_values(parameter.schema, world.samples, parameter.name)]
    made = [value for value in values if value is not NOTHING]
    good = [value for value in made if world.samples.problem(value, parameter.schema) is None]
    return list({repr(value): value for value in good}.values())[:8]


def _member_values(world: ResourceModel, parameter: ApiParameter, story: list[Json]) -> list[Any]:
    """Return values that the members have, or that tell one of them from another."""
    values: list[Any] = []
    named = parameter.name.lower()
    whole = world.samples.merged(parameter.schema)
    for request in story:
        for content in ((request.get("body") or {}).get("content"), request.get("path_parameters")):
            if isinstance(content, dict):
                # Templates are filled in later: their text is no value.
                values += [entry for key, entry in content.items() if key.lower() == named and "{{" not in str(entry)]
    if isinstance(whole.get("examples"), list):
        values += whole["examples"][:_MOST_EXAMPLES]
    if isinstance(whole.get("enum"), list):
        values += [option for option in whole["enum"] if option is not None]
    elif type_of(whole) in ("integer", "number") or whole.get("format") in ("date", "date-time"):
        bodies = [(request.get("body") or {}).get("content") for request in story]
        numbers = [scalar for content in bodies for scalar in _scalars(content, whole)]
        values += numbers
        # Just above a member's value, where a filter with < and one with <= differ.
        values += [number + 1 for number in numbers if isinstance(number, int)]
        values.append(world.samples.value(parameter.schema, parameter.name))
    elif type_of(whole) == "boolean":
        values += [True, False]
    else:
        texts = [text for request in story for text in _texts(request)]
        # Prefixes: a search for them finds some members and not others.
        values += [text[:2] for text in texts[:3]]
    return values


def _is_property(whole: Any) -> bool:
    """Whether values of a schema are those of a property, whatever it is called: `size` of S, M and L."""
    return "enum" in whole or whole.get("format") in ("date", "date-time")


def _paging_values(parameter: ApiParameter, story: list[Json]) -> Iterator[Any]:
    """Yield values of a parameter that pages or sorts a list of two: a default shows them all, in their usual order."""
    if paging.counts(parameter.name) or paging.skips(parameter.name):
        yield 1
    elif paging.pages(parameter.name):
        yield 2
    elif paging.sorts(parameter.name):
        bodies = [(request.get("body") or {}).get("content") for request in story]
        for field in next((list(body)[:2] for body in bodies if isinstance(body, dict) and body), []):
            yield from (field, f"-{field}")


def _scalars(content: Any, whole: Any) -> list[Any]:
    found = content.values() if isinstance(content, dict) else ()
    if type_of(whole) in ("integer", "number"):
        return [scalar for scalar in found if isinstance(scalar, int | float) and not isinstance(scalar, bool)]
    return [scalar for scalar in found if isinstance(scalar, str) and re.match(r"\d{4}-\d\d-\d\d", scalar)]


def _texts(request: Json) -> list[str]:
    parts = [request.get("path_parameters") or {}, (request.get("body") or {}).get("content")]
    values = [value for part in parts if isinstance(part, dict) for value in part.values()]
    return [text for text in values if isinstance(text, str) and "{{" not in text and len(text) > 1]


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
