"""Builds the JSON Schemas of tools; keywords keep the order in which they are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Schema = dict[str, Any]


def string(**keywords: Any) -> Schema:
    """The schema of a text."""
    return {"type": "string", **keywords}


def strings(*names: str) -> Schema:
    """Properties that are texts without further conditions."""
    return {name: string() for name in names}


def integer(**keywords: Any) -> Schema:
    """The schema of a whole number."""
    return {"type": "integer", **keywords}


def array(items: Schema, **keywords: Any) -> Schema:
    """The schema of a list."""
    return {"type": "array", "items": items, **keywords}


def closed_object(required: Sequence[str] | None = None, /, **properties: Schema) -> Schema:
    """The schema of an object with no other properties; all are required unless `required` names them."""
    names = list(properties) if required is None else list(required)
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False}


def open_object(required: Sequence[str], /, **properties: Schema) -> Schema:
    """The schema of an object that may have further properties."""
    return {"type": "object", "required": list(required), **({"properties": properties} if properties else {})}


COUNT: Schema = integer(minimum=0)
TEXTS: Schema = array(string())
NULLABLE_INTEGER: Schema = {"type": ["integer", "null"]}
