"""Formats validation errors for feedback loops: each with its place, its cause and a suggested fix.

A spec error is `{"path", "message", "severity", "suggestion", "rule", "excerpt"}`, a code error is
`{"type", "line", "message", "suggestion", "rule"}`; `code_feedback` turns a validation tool's result into the text an
agent reads before it tries again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, islice
from typing import Any, Literal

from jsonschema.exceptions import ValidationError

from .names.similar_names import similar_names
from .python_source import source_lines

Severity = Literal["error", "warning"]

_PLAIN_KEY = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")
_EXCERPT = 160
_SHORT = 300
MAX_ISSUES = 1000
"""How many errors are examined: more would only cost time."""


@dataclass(frozen=True, slots=True)
class SpecIssue:
    """One error or warning about a spec.

    Attributes:
        path: JSON path, e.g. `$.cases[0].act.expression`.
        rule: the schema keyword or quality rule it breaks.
        excerpt: the value in question, as JSON, cut short; empty where there is none.
    """

    path: str
    message: str
    severity: Severity = "error"
    suggestion: str = ""
    rule: str = ""
    excerpt: str = ""

    def to_dict(self) -> dict[str, str]:
        """The issue as JSON, as tools return it."""
        return asdict(self)


def join_issues(issues: Sequence[SpecIssue], limit: int = 10) -> str:
    """Issues in one line, each with its place; those above the limit are counted."""
    more = f"; and {len(issues) - limit} more" if len(issues) > limit else ""
    return "; ".join(f"{issue.path}: {issue.message}" for issue in issues[:limit]) + more


@dataclass(frozen=True, slots=True)
class CodeIssue:
    """One error in a test file; `line` counts from 1, 0 is the file as a whole."""

    type: Literal["syntax", "lint", "structure"]
    line: int
    message: str
    suggestion: str = ""
    rule: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The issue as JSON, as tools return it."""
        return asdict(self)


def json_path(parts: Iterable[str | int]) -> str:
    """The JSON path of a place: `$.cases[0]['odd key']`."""
    path = "$"
    for part in parts:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += f".{_cut(part)}" if _PLAIN_KEY.match(part) else f"[{json.dumps(_cut(part))}]"
    return path


def excerpt_of(value: Any) -> str:
    """A value as one line of JSON, cut to 160 characters."""
    return _cut(json.dumps(value, ensure_ascii=False, sort_keys=True, default=repr))


def _cut(text: str, limit: int = _EXCERPT) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def schema_issues(errors: Iterable[ValidationError]) -> list[SpecIssue]:
    """Issues for the first 1,000 errors of a schema validation, in the order of their paths, none twice.

    Of several lists of allowed values that one value is in none of, the first is told: a condition may allow fewer.
    """
    examined = sorted(islice(errors, MAX_ISSUES), key=_position)
    found: dict[object, SpecIssue] = {}
    for issue in islice(chain.from_iterable(map(_issues, examined)), MAX_ISSUES):
        found.setdefault((issue.path, issue.rule) if issue.rule == "enum" else issue, issue)
    return list(found.values())


def _position(error: ValidationError) -> tuple[list[tuple[int, str]], str]:
    parts = [(part, "") if isinstance(part, int) else (0, part) for part in error.absolute_path]
    return parts, error.message


def _issues(error: ValidationError) -> Iterator[SpecIssue]:
    place = list(error.absolute_path)
    # A property that other values exclude: `false` as its schema, or `not` of everything.
    excluded = error.schema is False or (error.validator == "not" and error.validator_value == {})
    keyword = "not_allowed" if excluded else str(error.validator)
    if keyword == "required":
        yield from _missing(error, place)
    elif keyword in ("additionalProperties", "unevaluatedProperties"):
        yield from _unknown(error, place)
    elif keyword == "not_allowed":
        name = place[-1] if place else ""
        message, suggestion = (
            f"{_cut(str(name))!r} does not belong here beside the other values",
            f"remove {_cut(str(name))!r}",
        )
        yield SpecIssue(json_path(place), message, "error", suggestion, keyword, excerpt_of(error.instance))
    else:
        message, suggestion = _explained(keyword, error)
        yield SpecIssue(json_path(place), message, "error", suggestion, keyword, excerpt_of(error.instance))


def _missing(error: ValidationError, place: list[str | int]) -> Iterator[SpecIssue]:
    instance = error.instance if isinstance(error.instance, Mapping) else {}
    for name in _sequence(error.validator_value):
        if name not in instance:
            hint = _about(error, name)
            suggestion = f"add {name!r}" + (f": {hint}" if hint else "")
            yield SpecIssue(json_path([*place, name]), f"{name!r} is missing", "error", suggestion, "required")


def _unknown(error: ValidationError, place: list[str | int]) -> Iterator[SpecIssue]:
    schema = error.schema if isinstance(error.schema, Mapping) else {}
    known = list(schema.get("properties", {}))
    for name in sorted(set(_mapping(error.instance)) - set(known)):
        close = similar_names(name, known, most=1)
        suggestion = f"rename it to {close[0]!r}" if close else f"remove it; known here: {', '.join(known)}"
        excerpt = excerpt_of(_mapping(error.instance)[name])
        yield SpecIssue(
            json_path([*place, name]), f"unknown property {_cut(name)!r}", "error", suggestion, "unknown", excerpt
        )


def _about(error: ValidationError, name: str) -> str:
    schema = error.schema if isinstance(error.schema, Mapping) else {}
    described = schema.get("properties", {}).get(name, {})
    return described.get("description", "") if isinstance(described, Mapping) else ""


def _explained(keyword: str, error: ValidationError) -> tuple[str, str]:
    value: Any = error.validator_value
    instance: Any = error.instance
    purpose = error.schema.get("description", "") if isinstance(error.schema, Mapping) else ""
    if keyword == "enum":
        allowed = ", ".join(json.dumps(allowed_value) for allowed_value in value)
        # A misspelt word is more likely meant than the first allowed one.
        close = similar_names(_cut(str(instance)), [str(allowed_value) for allowed_value in value], most=1, cutoff=0.5)
        return f"{excerpt_of(instance)} is not one of {allowed}", f"use {json.dumps((close or list(value))[0])}"
    if keyword == "const":
        return f"{excerpt_of(instance)} is not {excerpt_of(value)}", f"use {excerpt_of(value)}"
    if keyword == "type":
        wanted = value if isinstance(value, str) else " or ".join(value)
        return f"{_kind(instance)} where {wanted} is wanted", f"give {wanted}" + (f": {purpose}" if purpose else "")
    if keyword == "pattern":
        # A description of the pattern helps more than the pattern itself.
        return f"{excerpt_of(instance)} does not match {value}", purpose or f"write it so that it matches {value}"
    if keyword in ("minItems", "minLength", "minProperties"):
        return f"shorter than {value}: {excerpt_of(instance)}", f"give at least {value}" + (
            f": {purpose}" if purpose else ""
        )
    if keyword in ("maxItems", "maxLength", "maxProperties"):
        return f"longer than {value}", f"shorten it to at most {value}"
    if keyword in ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"):
        bound = "above" if keyword == "exclusiveMinimum" else "below" if keyword == "exclusiveMaximum" else ""
        bound = bound or ("at least" if keyword == "minimum" else "at most")
        return f"{excerpt_of(instance)} is not {bound} {value}", f"give a number {bound} {value}"
    if keyword == "uniqueItems":
        return "the same item occurs twice", "remove the repetition"
    if keyword == "format":
        return f"{excerpt_of(instance)} is not a {value}", f"give a valid {value}"
    return _cut(error.message, _SHORT), purpose


def _kind(value: Any) -> str:
    names = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}
    return "null" if value is None else names.get(type(value), type(value).__name__)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _sequence(value: Any) -> Sequence[str]:
    return value if isinstance(value, list | tuple) else ()


def summarize_errors(errors: Sequence[Mapping[str, Any]]) -> str:
    """Errors in one line, as the reason of what was done about them: the first, and how many more; "" for none."""
    if not errors:
        return ""
    first = " ".join(str(errors[0].get("message") or "an error").split())[:_SHORT]
    return first if len(errors) == 1 else f"{first} (and {len(errors) - 1} more)"


def code_feedback(errors: Sequence[Mapping[str, Any]], source: str = "", *, limit: int = 40) -> str:
    """Feedback text for an agent that refines a test file: syntax, then structure, then lint, with the lines concerned.

    Args:
        errors: `errors` of a `validate_test_code` result; one about another file, or about the answer, has a `path`.
        source: the file's text, to quote the line from.
    """
    text = source_lines(source)
    order = {"syntax": 0, "structure": 1, "lint": 2}
    ranked = sorted(errors, key=lambda error: (order.get(str(error.get("type")), 3), int(error.get("line") or 0)))
    lines = [_code_line(error, text) for error in ranked[:limit]]
    tail = [f"- and {len(errors) - limit} more"] if len(errors) > limit else []
    title = f"The test file is not valid yet: {len(errors)} {'problem' if len(errors) == 1 else 'problems'}."
    return "\n".join([title, *lines, *tail])


def _code_line(error: Mapping[str, Any], source: Sequence[str]) -> str:
    number = int(error.get("line") or 0)
    where = f" in line {number}" if number else ""
    where += f" of {error['path']}" if error.get("path") else ""
    line = f"- {error.get('type', 'error')}{where}: {error.get('message', '')}"
    if error.get("excerpt"):
        line += f" (there: {str(error['excerpt'])[:_EXCERPT]})"
    if error.get("suggestion"):
        line += f"; fix: {error['suggestion']}"
    if 0 < number <= len(source) and not error.get("path"):
        line += f"\n    {number} | {source[number - 1].rstrip()[:200]}"
    return line
