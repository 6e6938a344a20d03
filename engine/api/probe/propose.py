"""Proposes requests for every operation with a baseline.

A plain call, each optional part, each constraint at its edge and violated once, missing and wrong credentials, unknown
ids, wrong method and media type, and readings by other operations afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..document import auth as ways
from ..document.auth import Credential
from ..document.schemas import type_of
from ..model.model import Json, Proposal
from ..values.data import NOTHING
from .propose_stories import repeated_requests, skipped_steps
from .propose_values import (
    body_proposals,
    boundary_readings,
    copy_request,
    make_proposal,
    make_refusal,
    parameter_proposals,
)
from .resource_model import BaselineRequest, ResourceModel, put_parameter, variables_in

_MEDIA_STATUSES = (400, 415, 422)
_UNKNOWN_NUMBER = 999999
_UNKNOWN_UUID = "00000000-0000-4000-8000-000000000000"


def proposals_for(
    world: ResourceModel, baseline: BaselineRequest, credentials: dict[str, Credential]
) -> Iterator[Proposal]:
    """Yield proposals for one operation, the most informative first."""
    words = f"succeeds: {baseline.operation.summary}" if baseline.operation.summary else "succeeds"
    yield make_proposal(baseline, "succeeds", words, "success", baseline.request, wants="success", priority="critical")
    yield from _without_credentials(world, baseline, credentials)
    yield from _unknown(world, baseline)
    yield from body_proposals(world, baseline)
    yield from boundary_readings(world, baseline)
    yield from parameter_proposals(world, baseline)
    yield from _other_media(baseline)
    yield from repeated_requests(world, baseline)
    yield from skipped_steps(baseline)


def _without_credentials(
    world: ResourceModel, baseline: BaselineRequest, credentials: dict[str, Credential]
) -> Iterator[Proposal]:
    names = ways.auth_names(baseline.request)
    if not world.needs_auth(baseline.operation) or not names:
        return
    anonymous = {key: one for key, one in baseline.request.items() if key != "auth"}
    wrong = ways.with_wrong_credentials(baseline.request, [credentials[one] for one in names])
    tried = [("without credentials", anonymous), ("with wrong credentials", wrong)]
    if len(names) > 1:
        for name in names:
            others = [one for one in names if one != name]
            tried.append((f"without {name}", {**anonymous, "auth": ways.auth_entry(others)}))
    for how, request in tried:
        marks = {"category": "authentication", "group": "credentials", "priority": "critical"}
        yield make_refusal(baseline, f"a call {how}", request, name=how, breaks=how, **marks)


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
        method = next((one for one in ("PATCH", "PUT", "DELETE", "POST") if one not in offered), None)
        if method is None:
            continue
        values = known[0].request.get("path_parameters")
        request: Json = {"method": method, "path": path}
        if values:
            request["path_parameters"] = {name: 1 if "{{" in str(value) else value for name, value in values.items()}
        name, title = f"method_{method.lower()}", f"{path} has no method {method}"
        marks: Json = {"breaks": f"the method {method}", "group": "methods", "statuses": (404, 405), "priority": "low"}
        yield Proposal(known[0].operation, name, title, "contract", request, wants="refusal", **marks)
