"""Requests that are worth a test, for every operation that works: a plain call, each optional part, each constraint at
its edge and broken once, without and with wrong credentials, unknown ids, wrong method and media type, and what other
operations tell afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from . import auth as ways
from .auth import Credential
from .broken import Variant, broken_values, edge_values, inside_body
from .data import NOTHING
from .model import UNSAFE, Json, Operation, Proposal
from .schemas import type_of
from .world import Baseline, World, put_parameter, request_for, united

_UNKNOWN_NUMBER = 999999
_UNKNOWN_UUID = "00000000-0000-4000-8000-000000000000"
_MOST_PAIRS = 4


def proposals_for(world: World, baseline: Baseline, credentials: dict[str, Credential]) -> Iterator[Proposal]:
    """What to try with one operation, the most telling first."""
    yield Proposal(
        baseline.operation,
        "succeeds",
        _title(baseline.operation, f"succeeds: {summary}" if (summary := baseline.operation.summary) else "succeeds"),
        "success",
        baseline.request,
        baseline.setup,
        wants="success",
        priority="critical",
    )
    yield from _without_credentials(world, baseline, credentials)
    yield from _unknown(world, baseline)
    yield from _bodies(world, baseline)
    yield from _edges_read(world, baseline)
    yield from _parameters(world, baseline)
    yield from _other_media(baseline)
    yield from _again(world, baseline)


def _title(operation: Operation, words: str) -> str:
    return f"{operation.label} {words}"[:300]


def _proposal(baseline: Baseline, name: str, words: str, category: Any, request: Json, **more: Any) -> Proposal:
    return Proposal(
        baseline.operation,
        re.sub(r"\W+", "_", name).strip("_").lower()[:90],
        _title(baseline.operation, words),
        category,
        request,
        more.pop("setup", baseline.setup),
        **more,
    )


def _without_credentials(world: World, baseline: Baseline, credentials: dict[str, Credential]) -> Iterator[Proposal]:
    name = baseline.request.get("auth")
    if not world.needs_auth(baseline.operation) or not name:
        return
    anonymous = {key: one for key, one in baseline.request.items() if key != "auth"}
    for how, request in (("without", anonymous), ("with_wrong", ways.wrong(baseline.request, credentials[str(name)]))):
        yield _proposal(
            baseline,
            f"{how}_credentials",
            f"refuses a call {how.replace('_', ' ')} credentials",
            "authentication",
            request,
            wants="refusal",
            breaks=f"{how.replace('_', ' ')} credentials",
            priority="critical",
        )


def _unknown(world: World, baseline: Baseline) -> Iterator[Proposal]:
    """Ids of nothing; the setup stays, so that there is something else."""
    for parameter in baseline.operation.path_parameters:
        whole = world.samples.merged(parameter.schema)
        kind, form = type_of(whole), whole.get("format")
        value: Any = _UNKNOWN_UUID if form == "uuid" else _UNKNOWN_NUMBER
        if kind not in ("integer", "number") and form != "uuid":
            value = "unknown" if world.samples.problem("unknown", parameter.schema) is None else NOTHING
        if value is NOTHING or world.samples.problem(value, parameter.schema) is not None:
            continue
        request = _copy(baseline.request)
        put_parameter(request, parameter, value)
        setup = tuple(one for one in baseline.setup) if len(baseline.operation.path_parameters) > 1 else ()
        needed = tuple(setup) if _needs(request, setup) else ()
        yield _proposal(
            baseline,
            f"unknown_{parameter.name}",
            f"knows no {parameter.name} {value}",
            "not_found",
            request,
            setup=needed,
            priority="high",
        )


def _needs(request: Json, setup: tuple[Json, ...]) -> bool:
    from .world import variables_in

    return bool(variables_in(request)) and bool(setup)


def _bodies(world: World, baseline: Baseline) -> Iterator[Proposal]:
    body, operation = baseline.operation.body, baseline.operation
    content = (baseline.request.get("body") or {}).get("content")
    if body is None or "json" not in body.media_type:
        return
    full = request_for(world, operation, full=True)
    whole = content
    if full is not None and full[0].get("body", {}).get("content") != content:
        request = {**_copy(baseline.request), "body": full[0]["body"]}
        whole = full[0]["body"]["content"]
        setup = tuple(united(baseline.setup, full[1]))
        yield _proposal(
            baseline,
            "with_everything",
            "takes all optional properties",
            "success",
            request,
            setup=setup,
            wants="success",
        )
    required = set(world.samples.merged(body.schema).get("required") or ())
    for variant in _chosen(inside_body(body.schema, content, world.samples)):
        yield _of_variant(baseline, variant, "body", _with_body(baseline.request, variant.value))
    if isinstance(content, dict) and isinstance(whole, dict):
        more = {name: one for name, one in whole.items() if name not in content}
        for name in more:
            partial = {**content, name: whole[name]}
            if name not in required and not isinstance(whole[name], str | int | float | bool):
                for variant in _chosen(inside_body(body.schema, partial, world.samples)):
                    if variant.place[:1] == (name,) and len(variant.place) > 1:
                        yield _of_variant(baseline, variant, "body", _with_body(baseline.request, variant.value))
    if isinstance(content, dict) and world.samples.problem({}, body.schema) is not None:
        yield _refused(baseline, "an_empty_body", "an empty body", _with_body(baseline.request, {}))
    if body.required:
        missing = {key: one for key, one in _copy(baseline.request).items() if key != "body"}
        yield _refused(baseline, "no_body", "no body at all", missing)


def _edges_read(world: World, baseline: Baseline) -> Iterator[Proposal]:
    """What was made with values at the edge, read back."""
    body, content = baseline.operation.body, (baseline.request.get("body") or {}).get("content")
    if body is None or baseline.operation.method != "POST" or not baseline.saves or not isinstance(content, dict):
        return
    below = baseline.operation.path.rstrip("/") + "/{"
    reading = next(
        (
            one
            for one in world.baselines.values()
            if one.operation.method == "GET"
            and one.operation.path.startswith(below)
            and one.operation.path.endswith("}")
        ),
        None,
    )
    if reading is None or "json" not in body.media_type:
        return
    for variant in _chosen(inside_body(body.schema, content, world.samples)):
        if variant.kind.startswith("edge_"):
            made = {**_with_body(baseline.request, variant.value), "save": dict(baseline.saves)}
            yield _proposal(
                reading,
                f"with_{variant.words}",
                f"of one made with {variant.words}",
                "boundary",
                reading.request,
                setup=(*baseline.setup, made),
            )


def _refused(baseline: Baseline, name: str, words: str, request: Json) -> Proposal:
    return _proposal(
        baseline, name, f"refuses {words}", "validation", request, wants="refusal", breaks=words, group="broken_body"
    )


def _with_body(request: Json, content: Any) -> Json:
    return {**_copy(request), "body": {**request["body"], "content": content}}


def _chosen(variants: Iterator[Variant]) -> list[Variant]:
    """Each constraint of each place once."""
    found: dict[tuple[str, tuple[str | int, ...], str], Variant] = {}
    for one in variants:
        words = one.words if one.kind == "edge_enum" else ""
        found.setdefault((one.kind, one.place, words), one)
    return list(found.values())


def _of_variant(baseline: Baseline, variant: Variant, where: str, request: Json) -> Proposal:
    if variant.kind.startswith("edge_"):
        return _proposal(
            baseline,
            variant.words,
            f"takes {variant.words}",
            "boundary",
            request,
            wants="success",
            group=f"edges_{where}",
        )
    return _proposal(
        baseline,
        variant.words,
        f"refuses {variant.words}",
        "validation",
        request,
        wants="refusal",
        breaks=variant.words,
        group=f"broken_{where}",
    )


def _parameters(world: World, baseline: Baseline) -> Iterator[Proposal]:
    for parameter in baseline.operation.parameters:
        if parameter.where == "cookie":
            continue
        schema, name = parameter.schema, parameter.name
        if not parameter.required and parameter.where == "query":
            value = world.samples.value(schema, name)
            if value is not NOTHING and value is not None and not isinstance(value, dict):
                request = _copy(baseline.request)
                put_parameter(request, parameter, value)
                yield _proposal(
                    baseline, f"with_{name}", f"takes {name} {value}", "success", request, group="with_query"
                )
        if parameter.required and parameter.where in ("query", "header"):
            key = "query" if parameter.where == "query" else "headers"
            request = _copy(baseline.request)
            request[key] = {other: one for other, one in (request.get(key) or {}).items() if other != name}
            yield _proposal(
                baseline,
                f"without_{name}",
                f"refuses a call without {name}",
                "validation",
                request,
                wants="refusal",
                breaks=f"{name} missing",
                group=f"broken_{parameter.where}",
            )
        words = name
        for variant in (
            *broken_values(schema, world.samples, words, as_text=True),
            *edge_values(schema, world.samples, words),
        ):
            if parameter.where == "path" and not _travels(variant.value):
                continue
            if parameter.where == "path" and variant.kind.startswith("edge_"):
                continue  # what exists has been made under another name
            request = _copy(baseline.request)
            put_parameter(request, parameter, variant.value)
            found = _of_variant(baseline, variant, parameter.where, request)
            yield replace(found, wants="any") if variant.kind.startswith("edge_") else found


def _travels(value: Any) -> bool:
    """Whether a value is one part of a path."""
    return isinstance(value, int | float) or (isinstance(value, str) and bool(re.fullmatch(r"[^/?#\s]+", value)))


def _other_media(baseline: Baseline) -> Iterator[Proposal]:
    body = baseline.request.get("body")
    if not body or "json" not in body["media_type"]:
        return
    malformed = {**_copy(baseline.request), "body": {**body, "content": "{not json", "raw": True}}
    yield _proposal(
        baseline,
        "malformed_json",
        "refuses a body that is no JSON",
        "validation",
        malformed,
        wants="refusal",
        breaks="a body that is no JSON",
        statuses=(400, 415, 422),
    )
    plain = {**_copy(baseline.request), "body": {"media_type": "text/plain", "content": "plain text"}}
    yield _proposal(
        baseline,
        "wrong_media_type",
        "refuses a body of another media type",
        "validation",
        plain,
        wants="refusal",
        breaks="a body of the media type text/plain",
        statuses=(400, 415, 422),
    )


def _again(world: World, baseline: Baseline) -> Iterator[Proposal]:
    """The same once more, and each change of an enumeration after each other one."""
    operation = baseline.operation
    if operation.method not in UNSAFE:
        return
    story = baseline.story
    yield _proposal(baseline, "twice", "called twice", "state", baseline.request, setup=story, priority="high")
    if operation.method not in ("PATCH", "PUT") or operation.body is None:
        return
    content = (baseline.request.get("body") or {}).get("content")
    for name, inner in world.samples.properties(operation.body.schema).items():
        values = world.samples.merged(inner).get("enum")
        if not isinstance(values, list) or not isinstance(content, dict) or len(values) > _MOST_PAIRS:
            continue
        for first in values:
            for then in values:
                before = _with_body(baseline.request, {**content, name: first})
                if before == baseline.request and then == content.get(name):
                    continue
                yield _proposal(
                    baseline,
                    f"{name}_{then}_after_{first}",
                    f"asked for {name} {then} after {first}",
                    "state",
                    _with_body(baseline.request, {**content, name: then}),
                    setup=(*baseline.setup, before),
                    group=f"changes_{name}",
                )


def wrong_methods(world: World) -> Iterator[Proposal]:
    """For each path a method that the document does not give it."""
    by_path: dict[str, list[Baseline]] = {}
    for one in world.baselines.values():
        by_path.setdefault(one.operation.path, []).append(one)
    for path, known in by_path.items():
        offered = {one.method for one in world.api.operations if one.path == path}
        method = next((one for one in ("PATCH", "PUT", "DELETE", "POST") if one not in offered), None)
        if method is None:
            continue
        values = known[0].request.get("path_parameters")
        request: Json = {"method": method, "path": path}
        if values:
            request["path_parameters"] = {name: 1 if "{{" in str(one) else one for name, one in values.items()}
        yield Proposal(
            known[0].operation,
            f"method_{method.lower()}",
            f"{path} has no method {method}",
            "contract",
            request,
            wants="refusal",
            breaks=f"the method {method}",
            statuses=(404, 405),
            priority="low",
        )


def afterwards(world: World) -> Iterator[tuple[Baseline, Baseline, Proposal, Proposal]]:
    """For each change and each reading: what the reading tells before and after; what differs is worth a test."""
    for change in world.baselines.values():
        if change.operation.method not in UNSAFE:
            continue
        for reading in world.baselines.values():
            if reading.operation.method != "GET" or not _related(change, reading):
                continue
            setup = tuple(united(change.setup, reading.setup))
            saving = change.saving
            setup = tuple(one for one in setup if one != saving)
            before = _proposal(reading, "before", "before", "state", reading.request, setup=setup)
            after = _proposal(
                reading,
                f"after_{change.operation.name}",
                f"after {change.operation.label}",
                "state",
                reading.request,
                setup=(*setup, saving),
                priority="high",
            )
            yield change, reading, before, after


def _related(change: Baseline, reading: Baseline) -> bool:
    """Whether a reading may tell of a change at all: nothing is known that speaks against it."""
    return bool(change.operation.path) and bool(reading.operation.path)


def fuller_lists(world: World, other: dict[str, Baseline]) -> Iterator[Proposal]:
    """Readings of a collection with two different things in it, plain and with each of its parameters.

    Args:
        other: operation name → a second, different thing that it makes.
    """
    for reading in world.baselines.values():
        operation = reading.operation
        if operation.method != "GET" or reading.operation.path.endswith("}"):
            continue
        makers = [one for one in world.baselines.values() if _fills(one.operation, operation)]
        story: list[Json] = []
        for maker in makers:
            story = united(story, maker.story)
            second = other.get(maker.operation.name)
            if second is not None:
                story = united(story, second.story)
        if not story:
            continue
        setup = tuple(united(reading.setup, story))
        yield _proposal(
            reading,
            "lists_what_was_made",
            "lists what was made",
            "success",
            reading.request,
            setup=setup,
            wants="success",
            priority="high",
        )
        for parameter in operation.parameters:
            if parameter.where != "query":
                continue
            for value in _telling(world, parameter, story, other):
                request = _copy(reading.request)
                put_parameter(request, parameter, value)
                yield _proposal(
                    reading,
                    f"filled_by_{parameter.name}_{str(value)[:30]}",
                    f"lists by {parameter.name} {value}",
                    "success",
                    request,
                    setup=setup,
                    group="filters",
                    priority="high",
                )


def _fills(maker: Operation, collection: Operation) -> bool:
    path = collection.path.rstrip("/")
    if maker.method == "POST":
        return maker.path.rstrip("/") == path
    return maker.method == "PUT" and re.fullmatch(re.escape(path) + r"/\{[^/]+\}/?", maker.path) is not None


def _telling(world: World, parameter: Any, story: list[Json], other: dict[str, Baseline]) -> list[Any]:
    """Values of a filter that part what was made: those that stand in it, and the edges."""
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
        numbers = [one for request in story for one in _scalars((request.get("body") or {}).get("content"), whole)]
        values += numbers
        values += [one + 1 for one in numbers if isinstance(one, int)]
        values.append(world.samples.value(parameter.schema, parameter.name))
    elif type_of(whole) == "boolean":
        values += [True, False]
    else:
        texts = [one for request in story for one in _texts(request)]
        values += [one[:2] for one in texts[:3]]
    values += [one.value for one in edge_values(parameter.schema, world.samples, parameter.name)]
    good = [one for one in values if one is not NOTHING and world.samples.problem(one, parameter.schema) is None]
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


def _copy(request: Json) -> Json:
    return {key: dict(one) if isinstance(one, dict) else one for key, one in request.items() if key != "save"}
