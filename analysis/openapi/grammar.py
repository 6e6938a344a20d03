"""Defines which kind of object may occur where in an OpenAPI document, Swagger 2.0 included."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Literal

from .problems import Parts

Shape = Literal["one", "list", "map"]
EACH = "each "
"""Before a kind: a list or an object all of whose entries are of that kind."""

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")

_CONTENT: dict[str, tuple[Shape, str]] = {"content": ("map", "media_type"), "examples": ("map", "example")}
_SCHEMA_MAPS = ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions")
_SCHEMA_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SCHEMAS = (
    "items additionalProperties additionalItems not if then else contains propertyNames unevaluatedItems "
    "unevaluatedProperties contentSchema"
).split()
SECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "schema": "schemas",
        "response": "responses",
        "parameter": "parameters",
        "example": "examples",
        "request_body": "requestBodies",
        "header": "headers",
        "security_scheme": "securitySchemes",
        "link": "links",
        "callback": "callbacks",
        "media_type": "mediaTypes",
    }
)
"""Where each kind of object that can be referred to lies below `components`; path items are put in place instead."""

SWAGGER_SECTIONS: Mapping[str, str] = MappingProxyType(
    {"schema": "definitions", "response": "responses", "parameter": "parameters"}
)
"""The same for Swagger 2.0, below the document itself."""

_RULES: Mapping[str, Mapping[str, tuple[Shape, str]]] = MappingProxyType(
    {
        "document": {
            "paths": ("map", "path_item"),
            "webhooks": ("map", "path_item"),
            "components": ("one", "components"),
            "definitions": ("map", "schema"),
            "parameters": ("map", "parameter"),
            "responses": ("map", "response"),
        },
        "components": {
            **{section: ("map", kind) for kind, section in SECTIONS.items()},
            "pathItems": ("map", "path_item"),
        },
        "path_item": {
            **dict.fromkeys(METHODS, ("one", "operation")),
            "additionalOperations": ("map", "operation"),
            "parameters": ("list", "parameter"),
        },
        "operation": {
            "parameters": ("list", "parameter"),
            "requestBody": ("one", "request_body"),
            "responses": ("map", "response"),
            "callbacks": ("map", "callback"),
        },
        "parameter": {"schema": ("one", "schema"), **_CONTENT},
        "header": {"schema": ("one", "schema"), **_CONTENT},
        "request_body": {"content": ("map", "media_type")},
        "response": {
            "schema": ("one", "schema"),
            "headers": ("map", "header"),
            "content": ("map", "media_type"),
            "links": ("map", "link"),
        },
        "media_type": {
            "schema": ("one", "schema"),
            "itemSchema": ("one", "schema"),
            "examples": ("map", "example"),
            "encoding": ("map", "encoding"),
        },
        "encoding": {"headers": ("map", "header")},
        "schema": {
            **dict.fromkeys(_SCHEMA_MAPS, ("map", "schema")),
            **dict.fromkeys(_SCHEMA_LISTS, ("list", "schema")),
            **dict.fromkeys(_SCHEMAS, ("one", "schema")),
        },
    }
)


def children(value: Any, kind: str) -> Iterator[tuple[Parts, Any, str]]:
    """Yields the objects of a known kind directly below one: relative place, value, kind. Wrong shapes are skipped.

    What an `example`, `default`, `enum` or extension holds is data, and never among them.
    """
    if kind.startswith(EACH):
        entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        yield from (((key,), entry, kind.removeprefix(EACH)) for key, entry in entries)
    if not isinstance(value, dict):
        return
    # A callback's keys are expressions, not names of fields.
    if kind == "callback":
        yield from (((key,), entry, "path_item") for key, entry in value.items() if not _extension(key))
        return
    rules = _RULES.get(kind, {})
    for key, inner in value.items():
        if key not in rules:
            continue
        shape, what = rules[key]
        if shape == "one" and not isinstance(inner, list):
            yield (key,), inner, what
        elif shape == "map" and isinstance(inner, dict):
            # Here a map's own keys may be extensions; in `properties` a name with `x-` is a property.
            data = kind in ("document", "operation")
            yield from (((key, name), entry, what) for name, entry in inner.items() if not (data and _extension(name)))
        elif isinstance(inner, list) and shape in ("list", "one"):
            yield from (((key, index), entry, what) for index, entry in enumerate(inner))


def copy_with_children(value: dict[str, Any], kind: str, change: Callable[[Parts, Any, str], Any]) -> dict[str, Any]:
    """Copies an object with each child, given by place, value and kind, replaced by the result of `change`."""
    copied = dict(value)
    for below, entry, what in children(value, kind):
        new = change(below, entry, what)
        key = str(below[0])
        if len(below) == 1:
            copied[key] = new
        elif new is not entry:
            if copied[key] is value[key]:
                copied[key] = value[key].copy()
            copied[key][below[1]] = new
    return copied


def kind_at(document: Any, parts: Parts) -> str:
    """The kind of the object at a place, `each KIND` for a collection; empty for plain data."""
    value, kind, left = document, "document", parts
    while left:
        for below, entry, what in children(value, kind):
            if left[: len(below)] == below:
                value, kind, left = entry, what, left[len(below) :]
                break
            if len(left) == 1 and below[0] == left[0]:
                return EACH + what
        else:
            return ""
    return kind


def _extension(key: str) -> bool:
    return key.startswith("x-")
