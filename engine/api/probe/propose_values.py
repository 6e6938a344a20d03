"""Each optional part of a request, each constraint at its edge and broken once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..model.model import Json, Proposal
from ..values.data import NOTHING
from ..values.negative_requests import Variant, broken_values, edge_values, inside_body
from .proposing import copied, proposed, with_body
from .resource_model import Baseline, World, put_parameter, request_for, united


def bodies(world: World, baseline: Baseline) -> Iterator[Proposal]:
    body, operation = baseline.operation.body, baseline.operation
    content = (baseline.request.get("body") or {}).get("content")
    if body is None or ("json" not in body.media_type and not isinstance(content, dict)):
        return
    as_text = "json" not in body.media_type
    full = request_for(world, operation, full=True)
    whole = content
    if full is not None and full[0].get("body", {}).get("content") != content:
        request = {**copied(baseline.request), "body": full[0]["body"]}
        whole = full[0]["body"]["content"]
        setup = tuple(united(baseline.setup, full[1]))
        yield proposed(
            baseline,
            "with_everything",
            "takes all optional properties",
            "success",
            request,
            setup=setup,
            wants="success",
        )
    required = set(world.samples.merged(body.schema).get("required") or ())
    for variant in _chosen(inside_body(body.schema, content, world.samples, as_text=as_text)):
        yield _of_variant(baseline, variant, "body", with_body(baseline.request, variant.value))
    if isinstance(content, dict) and isinstance(whole, dict) and not as_text:
        more = {name: one for name, one in whole.items() if name not in content}
        for name in more:
            partial = {**content, name: whole[name]}
            if name not in required and not isinstance(whole[name], str | int | float | bool):
                for variant in _chosen(inside_body(body.schema, partial, world.samples)):
                    if variant.place[:1] == (name,) and len(variant.place) > 1:
                        yield _of_variant(baseline, variant, "body", with_body(baseline.request, variant.value))
    if isinstance(content, dict) and world.samples.problem({}, body.schema) is not None:
        yield _refused(baseline, "an_empty_body", "an empty body", with_body(baseline.request, {}))
    if body.required:
        missing = {key: one for key, one in copied(baseline.request).items() if key != "body"}
        yield _refused(baseline, "no_body", "no body at all", missing)


def refused(world: World, baseline: Baseline) -> Iterator[Proposal]:
    """What can be broken in a call that is refused for what it says, such as a sign-in with made-up data."""
    status = baseline.answer.status
    yield proposed(
        baseline, "made_up_values", f"answers {status} to made-up values", "state", baseline.request, priority="high"
    )
    for one in (*bodies(world, baseline), *parameters(world, baseline)):
        if one.wants == "refusal":
            yield one


def edges_read(world: World, baseline: Baseline) -> Iterator[Proposal]:
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
            made = {**with_body(baseline.request, variant.value), "save": dict(baseline.saves)}
            yield proposed(
                reading,
                f"with_{variant.words}",
                f"of one made with {variant.words}",
                "boundary",
                reading.request,
                setup=(*baseline.setup, made),
            )


def _refused(baseline: Baseline, name: str, words: str, request: Json) -> Proposal:
    return proposed(
        baseline, name, f"refuses {words}", "validation", request, wants="refusal", breaks=words, group="broken_body"
    )


def _chosen(variants: Iterator[Variant]) -> list[Variant]:
    """Each constraint of each place once."""
    found: dict[tuple[str, tuple[str | int, ...], str], Variant] = {}
    for one in variants:
        words = one.words if one.kind == "edge_enum" else ""
        found.setdefault((one.kind, one.place, words), one)
    return list(found.values())


def _of_variant(baseline: Baseline, variant: Variant, where: str, request: Json) -> Proposal:
    if variant.kind.startswith("edge_"):
        return proposed(
            baseline,
            variant.words,
            f"takes {variant.words}",
            "boundary",
            request,
            wants="success",
            group=f"edges_{where}",
        )
    return proposed(
        baseline,
        variant.words,
        f"refuses {variant.words}",
        "validation",
        request,
        wants="refusal",
        breaks=variant.words,
        group=f"broken_{where}",
    )


def parameters(world: World, baseline: Baseline) -> Iterator[Proposal]:
    for parameter in baseline.operation.parameters:
        schema, name = parameter.schema, parameter.name
        if not parameter.required and parameter.where == "query":
            value = world.samples.value(schema, name)
            if value is not NOTHING and value is not None and not isinstance(value, dict):
                request = copied(baseline.request)
                put_parameter(request, parameter, value)
                yield proposed(
                    baseline, f"with_{name}", f"takes {name} {value}", "success", request, group="with_query"
                )
        if parameter.required and parameter.where != "path":
            key = {"query": "query", "header": "headers", "cookie": "cookies"}[parameter.where]
            request = copied(baseline.request)
            request[key] = {other: one for other, one in (request.get(key) or {}).items() if other != name}
            yield proposed(
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
            if parameter.where != "query" and isinstance(variant.value, list):
                continue
            if parameter.where == "path" and variant.kind.startswith("edge_"):
                continue  # what exists has been made under another name
            request = copied(baseline.request)
            put_parameter(request, parameter, variant.value)
            found = _of_variant(baseline, variant, parameter.where, request)
            yield replace(found, wants="any") if variant.kind.startswith("edge_") else found


def _travels(value: Any) -> bool:
    """Whether a value is one part of a path."""
    return isinstance(value, int | float) or (isinstance(value, str) and bool(re.fullmatch(r"[^/?#\s]+", value)))
