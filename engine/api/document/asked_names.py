"""Corrects the name of what a body wraps, where the application asks for another one than its document has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..model.model import Api, HttpAnswer, Operation
from .schemas import merge_schema, type_of

_MISSING = re.compile(r"\b(?:missing|required)\b", re.IGNORECASE)
_DEEPEST = 4


def wrapper_of(operation: Operation, components: Mapping[str, Any]) -> str:
    """Return the one property of a body that is an object in an object (`{"user": {…}}`); "" for any other body."""
    if operation.body is None or "json" not in operation.body.media_type:
        return ""
    properties = merge_schema(operation.body.schema, components).get("properties")
    if not isinstance(properties, Mapping) or len(properties) != 1:
        return ""
    [(name, inner)] = properties.items()
    return str(name) if type_of(merge_schema(inner, components)) == "object" else ""


def name_asked_for(answer: HttpAnswer, sent: str) -> str:
    """Return the one name that a refusal misses where another was sent; "" where it misses none, several, or that."""
    if answer.status not in (400, 422):
        return ""
    try:
        told = json.loads(answer.text)
    except ValueError:
        return ""
    missed = dict.fromkeys(_missed(told, 0))
    return next(iter(missed)) if len(missed) == 1 and sent not in missed else ""


def _missed(told: Any, depth: int) -> Iterator[str]:
    """Yield the names of top-level fields that a validator's report calls missing."""
    if isinstance(told, list):
        for entry in told:
            place = entry.get("loc") if isinstance(entry, Mapping) else None
            if isinstance(place, list) and len(place) == 2 and place[0] == "body" and _is_missing(entry):
                yield str(place[1])
    elif isinstance(told, Mapping) and depth < _DEEPEST:
        for name, entry in told.items():
            if isinstance(entry, list) and entry and all(isinstance(text, str) for text in entry):
                yield from (str(name) for text in entry[:1] if _MISSING.search(text))
            else:
                yield from _missed(entry, depth + 1)


def _is_missing(entry: Mapping[str, Any]) -> bool:
    return bool(_MISSING.search(f"{entry.get('type')} {entry.get('msg')}"))


def with_wrapper(api: Api, names: Mapping[str, tuple[str, str]]) -> Api:
    """Return the API with other names of wrapping properties, and a note that says so.

    Args:
        names: the name in the document and the one that is asked for, by the operation's name.
    """
    operations = tuple(_renamed(known, api, *names.get(known.name, ("", ""))) for known in api.operations)
    labels = [known.label for known in api.operations if known.name in names]
    return replace(api, operations=operations, notes=(*api.notes, *_note(labels, names.values())))


def _note(labels: list[str], names: Iterable[tuple[str, str]]) -> Iterator[str]:
    pairs = ", ".join(f"{there} for {here}" for here, there in dict.fromkeys(names))
    if labels:
        listed = ", ".join(labels[:5]) + " and more" * (len(labels) > 5)
        yield f"The application asks for another property than the OpenAPI document names ({pairs}): {listed}."


def _renamed(operation: Operation, api: Api, here: str, there: str) -> Operation:
    body = operation.body
    if body is None or not there:
        return operation
    whole = merge_schema(body.schema, api.components)
    required = [there if name == here else name for name in whole.get("required") or ()]
    schema = {**whole, "properties": {there: whole["properties"][here]}, "required": required}
    return replace(operation, body=replace(body, schema=schema, examples=()))
