"""Proposes each optional part of a request, and each constraint at its edge and violated once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ..document.schemas import type_of
from ..model.model import Json, Operation, Proposal
from ..values import paging
from ..values.data import NOTHING
from ..values.negative_requests import ValueVariant, body_variants, broken_values, edge_values
from .distinct import other_value, without_members
from .resource_model import BaselineRequest, ResourceModel, build_request, fields_of, merge_setups, put_parameter

MOST_NAME = 90
"""Letters of the name of a proposal."""


def proposal_title(operation: Operation, words: str) -> str:
    return f"{operation.label} {words}"[:300]


def make_proposal(
    baseline: BaselineRequest, name: str, words: str, category: Any, request: Json, **more: Any
) -> Proposal:
    return Proposal(
        baseline.operation,
        re.sub(r"\W+", "_", name).strip("_").lower()[:MOST_NAME],
        proposal_title(baseline.operation, words),
        category,
        request,
        more.pop("setup", baseline.setup),
        **more,
    )


def make_refusal(baseline: BaselineRequest, words: str, request: Json, *, name: str = "", **more: Any) -> Proposal:
    """Build the proposal of a request that the document forbids.

    Args:
        words: what is wrong with the request; the default of `breaks`, and of `name`.
    """
    settings: dict[str, Any] = {"category": "validation", "breaks": words, **more}
    return make_proposal(baseline, name or words, f"refuses {words}", request=request, wants="refusal", **settings)


def copy_request(request: Json) -> Json:
    return {key: dict(entry) if isinstance(entry, dict) else entry for key, entry in request.items() if key != "save"}


def with_body(request: Json, content: Any) -> Json:
    """Return the request with another body of the same media type."""
    return {**copy_request(request), "body": {**request["body"], "content": content}}


def body_proposals(world: ResourceModel, baseline: BaselineRequest) -> Iterator[Proposal]:
    body, operation = baseline.operation.body, baseline.operation
    content = (baseline.request.get("body") or {}).get("content")
    if body is None or ("json" not in body.media_type and not isinstance(content, dict)):
        return
    as_text = "json" not in body.media_type
    full = build_request(world, operation, full=True)
    whole = content
    if full is not None and full[0].get("body", {}).get("content") != content:
        whole = full[0]["body"]["content"]
        yield from _complete_bodies(world, baseline, body.schema, *full)
    required = set(world.samples.merged(body.schema).get("required") or ())
    for variant in _chosen(body_variants(body.schema, content, world.samples, as_text=as_text)):
        yield _of_variant(baseline, variant, "body", with_body(baseline.request, variant.value))
    if isinstance(content, dict) and isinstance(whole, dict) and not as_text:
        more = {name: entry for name, entry in whole.items() if name not in content}
        for name in more:
            partial = {**content, name: whole[name]}
            if name not in required and not isinstance(whole[name], str | int | float | bool):
                for variant in _chosen(body_variants(body.schema, partial, world.samples)):
                    if variant.place[:1] == (name,) and len(variant.place) > 1:
                        yield _of_variant(baseline, variant, "body", with_body(baseline.request, variant.value))
    if isinstance(content, dict) and world.samples.problem({}, body.schema) is not None:
        yield make_refusal(baseline, "an empty body", with_body(baseline.request, {}), group="broken_body")
    # Leaving an optional body out is allowed, so nothing is refused.
    if body.required:
        missing = {key: entry for key, entry in copy_request(baseline.request).items() if key != "body"}
        yield make_refusal(baseline, "no body at all", missing, name="no_body", group="broken_body")


def _complete_bodies(
    world: ResourceModel, baseline: BaselineRequest, schema: Any, full: Json, before: Iterable[Json]
) -> Iterator[Proposal]:
    """Yield requests with the whole body of a full one, with members of any name and without them."""
    setup = tuple(merge_setups(baseline.setup, before))
    marks: dict[str, Any] = {"category": "success", "setup": setup, "wants": "success"}
    whole = full["body"]["content"]
    plainer = without_members(schema, whole, world.samples)
    request = {**copy_request(baseline.request), "body": full["body"]}
    if plainer != whole:
        # Whether an application takes names that nobody has told it is another question.
        yield make_proposal(baseline, "with_any_names", "takes members of any name", request=request, **marks)
    if plainer != (baseline.request.get("body") or {}).get("content"):
        request = with_body(request, plainer)
        yield make_proposal(baseline, "with_everything", "takes all optional properties", request=request, **marks)


def invalid_bodies(world: ResourceModel, baseline: BaselineRequest) -> Iterator[Proposal]:
    """Yield invalid bodies for an operation whose valid call is refused, such as a sign-in with placeholder data."""
    status = baseline.answer.status
    yield make_proposal(
        baseline, "made_up_values", f"answers {status} to made-up values", "state", baseline.request, priority="high"
    )
    for proposal in (*body_proposals(world, baseline), *parameter_proposals(world, baseline)):
        if proposal.wants == "refusal":
            yield proposal


def boundary_readings(world: ResourceModel, baseline: BaselineRequest) -> Iterator[Proposal]:
    """Yield readings of resources that were created with boundary values."""
    body, content = baseline.operation.body, fields_of(baseline.request)
    if body is None or baseline.operation.method != "POST" or not baseline.saves or content is None:
        return
    below = baseline.operation.path.rstrip("/") + "/{"
    members = [known for known in world.baselines.values() if known.operation.path.startswith(below)]
    reading = next(
        (member for member in members if member.operation.method == "GET" and member.operation.path[-1] == "}"), None
    )
    if reading is None or "json" not in body.media_type:
        return
    for variant in _chosen(body_variants(body.schema, content, world.samples)):
        if variant.kind.startswith("edge_"):
            made = {**with_body(baseline.request, variant.value), "save": dict(baseline.saves)}
            name, words, setup = f"with_{variant.words}", f"of one made with {variant.words}", (*baseline.setup, made)
            yield make_proposal(reading, name, words, "boundary", reading.request, setup=setup)


def _chosen(variants: Iterator[ValueVariant]) -> list[ValueVariant]:
    """Keep one variant for each constraint of each location."""
    found: dict[tuple[str, tuple[str | int, ...], str], ValueVariant] = {}
    for variant in variants:
        words = variant.words if variant.kind == "edge_enum" else ""
        found.setdefault((variant.kind, variant.place, words), variant)
    return list(found.values())


def _of_variant(baseline: BaselineRequest, variant: ValueVariant, where: str, request: Json) -> Proposal:
    if variant.kind.startswith("edge_"):
        words, group = variant.words, f"edges_{where}"
        return make_proposal(baseline, words, f"takes {words}", "boundary", request, wants="success", group=group)
    return make_refusal(baseline, variant.words, request, group=f"broken_{where}", cause=variant.kind)


def parameter_proposals(world: ResourceModel, baseline: BaselineRequest) -> Iterator[Proposal]:
    for parameter in baseline.operation.parameters:
        schema, name = parameter.schema, parameter.name
        if not parameter.required and parameter.where == "query":
            value = world.samples.value(schema, name)
            # What is left out has its default: sent, it shows nothing.
            if value == world.samples.merged(schema).get("default"):
                other = other_value(schema, value, world.samples)
                value = value if other is NOTHING else other
            if value is not NOTHING and value is not None and not isinstance(value, dict):
                request = copy_request(baseline.request)
                put_parameter(request, parameter, value)
                yield make_proposal(
                    baseline, f"with_{name}", f"takes {name} {value}", "success", request, group="with_query"
                )
        # A document may call a number a text; a text that is none shows whether the application minds.
        if parameter.where == "query" and paging.cuts(name) and type_of(world.samples.merged(schema)) == "string":
            request = copy_request(baseline.request)
            put_parameter(request, parameter, "first")
            yield make_proposal(baseline, f"{name}_in_words", f"is asked for {name} first", "boundary", request)
        if parameter.required and parameter.where != "path":
            key = {"query": "query", "header": "headers", "cookie": "cookies"}[parameter.where]
            request = copy_request(baseline.request)
            request[key] = {other: entry for other, entry in (request.get(key) or {}).items() if other != name}
            group, missing = f"broken_{parameter.where}", f"{name} missing"
            yield make_refusal(
                baseline, f"a call without {name}", request, name=f"without_{name}", breaks=missing, group=group
            )
        broken = broken_values(schema, world.samples, name, as_text=True)
        for variant in (*broken, *edge_values(schema, world.samples, name)):
            if parameter.where != "query" and isinstance(variant.value, list):
                continue
            # An edge of an id names nothing: what exists has been made under another name.
            if parameter.where == "path" and (variant.kind.startswith("edge_") or not _fits_segment(variant.value)):
                continue
            request = copy_request(baseline.request)
            put_parameter(request, parameter, variant.value)
            found = _of_variant(baseline, variant, parameter.where, request)
            yield replace(found, wants="any") if variant.kind.startswith("edge_") else found


def _fits_segment(value: Any) -> bool:
    """Whether a value fits into one segment of a path."""
    return isinstance(value, int | float) or (isinstance(value, str) and bool(re.fullmatch(r"[^/?#\s]+", value)))
