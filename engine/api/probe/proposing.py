"""Builds proposals: names, titles, copies of the baseline request."""

from __future__ import annotations

import re
from typing import Any

from ..model.model import Json, Operation, Proposal
from .resource_model import BaselineRequest


def proposal_title(operation: Operation, words: str) -> str:
    return f"{operation.label} {words}"[:300]


def make_proposal(
    baseline: BaselineRequest, name: str, words: str, category: Any, request: Json, **more: Any
) -> Proposal:
    return Proposal(
        baseline.operation,
        re.sub(r"\W+", "_", name).strip("_").lower()[:90],
        proposal_title(baseline.operation, words),
        category,
        request,
        more.pop("setup", baseline.setup),
        **more,
    )


def copy_request(request: Json) -> Json:
    return {key: dict(one) if isinstance(one, dict) else one for key, one in request.items() if key != "save"}


def with_body(request: Json, content: Any) -> Json:
    """Return the request with another body of the same media type."""
    return {**copy_request(request), "body": {**request["body"], "content": content}}
