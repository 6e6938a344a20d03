"""Answers in the shapes of GitHub's OpenAPI document."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

SCHEMAS = json.loads((Path(__file__).parents[2] / "data" / "github" / "schemas.json").read_text("utf-8"))
_TEXTS = {"date-time": "2026-11-27T00:00:00Z"}


@dataclass
class Answer:
    """A status, a body and its headers."""

    status: int
    content: bytes
    headers: dict[str, str] = field(default_factory=dict)


class Refused(Exception):
    """A request that is answered with an error.

    Args:
        errors: GitHub's list of reasons, of a 422.
    """

    def __init__(
        self, status: int, message: str, headers: dict[str, str] | None = None, *, errors: list[Any] | None = None
    ) -> None:
        super().__init__(message)
        self._status, self._message, self._errors = status, message, errors
        self._headers = headers or {}

    def answer(self) -> Answer:
        """The error as GitHub sends it."""
        about: dict[str, Any] = {"message": self._message, "documentation_url": "https://docs.github.com/rest"}
        if self._status == 422:
            answer = fitting("validation-error", {**about, **({"errors": self._errors} if self._errors else {})}, 422)
        else:
            answer = fitting("basic-error", about, self._status)
        answer.headers.update(self._headers)
        return answer


def fitting(schema: str, known: Any, status: int = 200) -> Answer:
    """An answer of a schema: what is known, and for other required fields the least that fits.

    Raises:
        AssertionError: what is known does not fit.
    """
    values = [_filled({"$ref": f"#/$defs/{schema}"}, one) for one in (known if isinstance(known, list) else [known])]
    for value in values:
        problems = [f"{error.json_path}: {error.message[:200]}" for error in _validator(schema).iter_errors(value)]
        assert not problems, f"the local GitHub's answer is no {schema}: {problems[:3]}"
    body = values if isinstance(known, list) else values[0]
    return Answer(status, json.dumps(body).encode(), {"content-type": "application/json; charset=utf-8"})


@cache
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator({**SCHEMAS, "$ref": f"#/$defs/{schema}"})


def _filled(schema: dict[str, Any], known: Any) -> Any:
    """`known`, with the required fields of objects that it lacks; None takes the least value of the schema."""
    if "$ref" in schema:
        return _filled(SCHEMAS["$defs"][schema["$ref"].rpartition("/")[2]], known)
    for choice in schema.get("anyOf", ()):
        if known is None and any(one.get("type") == "null" for one in schema["anyOf"]):
            return None
        if known is None or _kind(choice) == _kind_of(known):
            return _filled(choice, known)
    if isinstance(known, dict):
        properties = schema.get("properties", {})
        missing = {name: None for name in schema.get("required", ()) if name not in known}
        return {name: _filled(properties.get(name, {}), value) for name, value in {**missing, **known}.items()}
    if isinstance(known, list):
        return [_filled(schema.get("items", {}), one) for one in known]
    return known if known is not None else _least(schema)


def _kind(schema: dict[str, Any]) -> str:
    while "$ref" in schema:
        schema = SCHEMAS["$defs"][schema["$ref"].rpartition("/")[2]]
    return str(schema.get("type", ""))


def _kind_of(value: Any) -> str:
    kinds = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer"}
    return kinds.get(type(value), "")


def _least(schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    match schema.get("type"):
        case "object":
            return _filled(schema, {})
        case "array":
            return []
        case "string":
            return _TEXTS.get(schema.get("format", ""), "x")
        case "integer" | "number":
            return 1
        case "boolean":
            return False
        case _:
            return None
