"""Defines the form of a model's answer with test cases, and converts cases to and from a spec."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..contract.protocol import JsonObject
from .model_agent import closed, list_of, optional, text_of

_KINDS = ("equals", "approx", "is", "is_instance", "raises", "holds", "length", "output", "warns")
_ORIGINS = ("documented", "inferred", "observed")
_MODES = ("call", "await", "iterate", "aiterate", "enter", "aenter")
_CASE = re.compile(r"^\$\.cases\[(\d+)\]")

ANSWER_SCHEMA: JsonObject = closed(
    imports=list_of(text_of(300), 60),
    cases=list_of(
        closed(
            id=text_of(120, "^tc_[a-z0-9_]+$"),
            title=text_of(200),
            subject=text_of(200),
            priority={"type": "string", "enum": ["critical", "high", "medium", "low"]},
            fixtures=list_of(text_of(60), 10),
            statements=list_of(text_of(1000), 40),
            expression=text_of(1000),
            mode={"type": "string", "enum": list(_MODES)},
            expected=text_of(300),
            expect=list_of(
                closed(
                    kind={"type": "string", "enum": list(_KINDS)},
                    actual=optional(text_of(600)),
                    value=optional(text_of(2000)),
                    exception=optional(text_of(120)),
                    match=optional(text_of(300)),
                    origin={"type": "string", "enum": list(_ORIGINS)},
                    lines=optional(list_of({"type": "integer"}, 2)),
                ),
                20,
            ),
        ),
        200,
    ),
)
"""Strict, so that endpoints that enforce schemas enforce all of it."""


def case_of(answered: Mapping[str, Any], path: str) -> JsonObject:
    """Convert an answered case into a spec's case; redundant fields (steps, empty arrangements) are filled in."""
    statements, expression = list(answered["statements"]), str(answered["expression"])
    arrange = {key: list(answered[key]) for key in ("fixtures", "statements") if answered[key]}
    return {
        "id": answered["id"],
        "title": answered["title"],
        "subject": answered["subject"],
        "priority": answered["priority"],
        "preconditions": [],
        "steps": [*statements, expression],
        "expected": answered["expected"],
        "written_by": "model",
        **({"arrange": arrange} if arrange else {}),
        "act": {"expression": expression, "mode": answered["mode"]},
        "expect": [_expectation(expectation, path) for expectation in answered["expect"]],
    }


def case_for_model(case: Mapping[str, Any]) -> JsonObject:
    """Convert a spec's case into the form of an answer, without empty fields, to show it to the model."""
    arrange = case.get("arrange") or {}
    expect = [
        {
            **{key: expectation.get(key) for key in ("kind", "actual", "value", "exception", "match", "origin")},
            "lines": (expectation.get("evidence") or {}).get("lines"),
        }
        for expectation in case.get("expect") or ()
    ]
    whole = {
        "id": case.get("id"),
        "title": case.get("title"),
        "subject": case.get("subject"),
        "priority": case.get("priority"),
        "fixtures": arrange.get("fixtures"),
        "statements": arrange.get("statements"),
        "expression": (case.get("act") or {}).get("expression"),
        "mode": (case.get("act") or {}).get("mode") or "call",
        "expected": case.get("expected"),
    }
    return {**_filled(whole), "expect": [_filled(expectation) for expectation in expect]}


def _filled(given: Mapping[str, Any]) -> JsonObject:
    return {key: value for key, value in given.items() if value not in (None, [])}


def concerned_cases(cases: Sequence[Mapping[str, Any]], errors: Iterable[Mapping[str, Any]]) -> list[int]:
    """Return the indices of the cases that errors are about, in order."""
    found = [_CASE.match(str(error.get("path", ""))) for error in errors if error.get("severity", "error") == "error"]
    return sorted({int(match[1]) for match in found if match and int(match[1]) < len(cases)})


def _expectation(answered: Mapping[str, Any], path: str) -> JsonObject:
    kept = {
        key: answered[key] for key in ("kind", "actual", "value", "exception", "match") if answered[key] is not None
    }
    if kept.get("match") == "":
        del kept["match"]
    lines = answered["lines"] or []
    evidence = {"evidence": {"path": path, "lines": sorted(lines)}} if _is_range(lines) else {}
    return {**kept, "origin": answered["origin"], **evidence}


def _is_range(lines: Sequence[int]) -> bool:
    return len(lines) == 2 and all(line >= 1 for line in lines)
