"""Migrates test specs to newer schema versions; one function for each step between two versions."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

from ..core.errors import UsageError

_Step = Callable[[dict[str, Any]], dict[str, Any]]


def migrate(spec: Mapping[str, Any], to: str, *, test_type: str = "api") -> dict[str, Any]:
    """A spec in a newer form; the given one stays as it is.

    Args:
        spec: a valid spec of an older version. What it says is kept; what it cannot say gets the newer form's default.
        to: the version wanted, e.g. "2.0.0".
        test_type: what the spec tests; forms before 2.0.0 do not say it themselves.

    Raises:
        UsageError: no way leads from the spec's version to that one.
    """
    kind = spec.get("test_type", test_type)
    current = copy.deepcopy(dict(spec))
    while (version := current.get("schema_version")) != to:
        step = _STEPS.get((str(kind), str(version)))
        if step is None:
            raise UsageError(
                f"a spec of type {kind!r} and version {version!r} cannot be brought to version {to!r}",
                advice="migration leads from older to newer forms; write the spec anew otherwise",
            )
        current = step(current)
    return current


def _api_1_to_2(spec: dict[str, Any]) -> dict[str, Any]:
    framework = spec.get("framework", "pytest")
    return {
        "schema_version": "2.0.0",
        "test_type": "api",
        "title": spec["suite"],
        "language": "javascript" if framework == "jest" else "python",
        "framework": framework,
        "target": {"name": spec["suite"], "base_url": spec["base_url"]},
        "cases": [_api_case(test) for test in spec["tests"]],
    }


def _api_case(test: dict[str, Any]) -> dict[str, Any]:
    method, path, status = test["method"], test["endpoint"], test["expected_status"]
    operation = {"method": method, "path": path}
    request: dict[str, Any] = dict(operation)
    for key in ("headers", "query"):
        if test.get(key):
            request[key] = test[key]
    if "body" in test:
        request["body"] = {"media_type": "application/json", "content": test["body"]}
    return {
        "id": test["id"],
        "title": test["name"],
        "priority": test.get("priority", "medium"),
        "preconditions": [],
        "steps": [f"Send {method} {path}."],
        "expected": test.get("description") or f"The answer has status {status}.",
        "category": "success" if status < 400 else "validation",
        "operation": operation,
        "act": {"request": request},
        "expect": _api_expectations(test),
    }


def _api_expectations(test: dict[str, Any]) -> list[dict[str, Any]]:
    """The first form does not say where an expectation comes from: a person or model stated it, so it is `inferred`."""
    found: list[dict[str, Any]] = [{"kind": "status", "statuses": [test["expected_status"]]}]
    found += [
        {"kind": "header", "name": name, "value": value} for name, value in test.get("expected_headers", {}).items()
    ]
    if "expected_body" in test:
        found.append({"kind": "body_equals", "value": test["expected_body"]})
    found += [{"kind": "body_contains", "text": text} for text in test.get("expected_body_contains", [])]
    return [{**expectation, "origin": "inferred"} for expectation in found]


_STEPS: dict[tuple[str, str], _Step] = {("api", "1.0.0"): _api_1_to_2}
