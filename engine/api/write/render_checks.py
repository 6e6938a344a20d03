"""Renders the expectations of an API case as conditions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....core.errors import AgentFailure
from ..model.json_values import literal
from .render_names import SharedPayloads
from .render_request import saved

_TYPES = {
    "string": "str",
    "integer": "int",
    "number": "(int, float)",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
    "null": "type(None)",
}
_COMPARISONS = {"not_equals": "!=", "less": "<", "at_most": "<=", "greater": ">", "at_least": ">="}


@dataclass(frozen=True, slots=True)
class RenderedCheck:
    """One condition of an assertion.

    Attributes:
        left, operator, right: a comparison; `operator` is empty where `left` is the whole condition.
        imports: import statements it needs.
        column: name of the table column for `right` where it differs between rows; empty where it must not.
    """

    left: str
    operator: str = ""
    right: str = ""
    imports: tuple[str, ...] = ()
    column: str = ""

    @property
    def condition(self) -> str:
        """The condition as source."""
        return f"{self.left} {self.operator} {self.right}" if self.operator else self.left


@dataclass(frozen=True, slots=True)
class SavedNames:
    """Names a test file has: schemas by their source, and objects that answers share."""

    schemas: Mapping[str, str]
    payloads: SharedPayloads


def render_checks(expect: list[Mapping[str, Any]], known: SavedNames) -> list[RenderedCheck]:
    """Render the conditions of a case.

    Raises:
        AgentFailure: an expectation cannot be rendered.
    """
    return [_check(one, known) for one in expect]


def _check(one: Mapping[str, Any], known: SavedNames) -> RenderedCheck:
    kind = one["kind"]
    if kind == "status":
        statuses = one["statuses"]
        if len(statuses) == 1:
            return RenderedCheck("response.status", "==", str(statuses[0]), column="status")
        return RenderedCheck("response.status", "in", literal(list(statuses)), column="statuses")
    if kind == "header":
        name = literal(str(one["name"]).lower())
        if one.get("value") is None:
            return RenderedCheck(name, "in", "response.headers")
        return RenderedCheck(f"response.headers[{name}]", "==", literal(one["value"]), column="header")
    if kind == "body_equals":
        return RenderedCheck("response.json", "==", known.payloads.source(one["value"]), column="expected")
    if kind == "body_schema":
        if "schema" not in one:
            raise AgentFailure(
                "a body_schema names a part of the description, which a test does not have",
                advice="write the schema itself into `schema`",
            )
        source = literal(one["schema"])
        name = known.schemas.get(source, source)
        return RenderedCheck(f"mismatches(response.json, {name})", "==", "[]", ("from api_schema import mismatches",))
    if kind == "body_value":
        return _value(one)
    if kind == "body_contains":
        return RenderedCheck(literal(one["text"]), "in", "response.text")
    if kind == "response_time":
        return RenderedCheck("response.seconds", "<=", str(one["milliseconds"] / 1000))
    raise AgentFailure(f"an expectation of kind {kind!r} cannot be written as a test")


def _value(one: Mapping[str, Any]) -> RenderedCheck:
    pointer, operator = str(one["pointer"]), one["operator"]
    place, value = saved(pointer, "response.json"), one.get("value")
    if operator == "equals":
        if value is None or isinstance(value, bool):
            return RenderedCheck(place, "is", repr(value), column="value")
        return RenderedCheck(place, "==", literal(value), column=_column(pointer))
    if operator in _COMPARISONS:
        return RenderedCheck(place, _COMPARISONS[operator], literal(value), column="value")
    if operator == "has_length":
        return RenderedCheck(f"len({place})", "==", literal(value), column="count")
    if operator == "has_type":
        kind = _TYPES.get(str(value))
        if kind is None:
            raise AgentFailure(f"{value!r} is no JSON type")
        return RenderedCheck(f"isinstance({place}, {kind})")
    if operator == "matches":
        return RenderedCheck(f"re.search({literal(str(value))}, {place})", imports=("import re",))
    parent, _, key = pointer.rpartition("/")
    if not pointer:
        raise AgentFailure("the whole body cannot be absent")
    word = "in" if operator == "exists" else "not in"
    return RenderedCheck(literal(key.replace("~1", "/").replace("~0", "~")), word, saved(parent, "response.json"))


def _column(pointer: str) -> str:
    last = pointer.rpartition("/")[2]
    return {"loc": "place"}.get(last, last if last.isidentifier() and not last.isdigit() else "value")
