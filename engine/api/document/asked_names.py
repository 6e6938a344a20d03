"""Corrects the name of what a body wraps, where the application asks for another one than its document has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..model.model import Api, HttpAnswer, Json, Operation
from .schemas import merge_schema, type_of

_MISSING = re.compile(r"\b(?:missing|required)\b", re.IGNORECASE)
_OTHER_PARTS = ("query", "querystring", "headers", "header", "path", "cookies", "files")
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
    missed = _names_missed(answer, sent)
    return next(iter(missed)) if len(missed) == 1 and sent not in missed else ""


def takes_name(answer: HttpAnswer, sent: str) -> bool:
    """Whether an answer to a body that is wrapped in a name misses no other, nor that one."""
    return not answer.failure and answer.status < 500 and not _names_missed(answer, sent)


def with_name(request: Json, here: str, there: str) -> Json:
    """Return a request whose body is wrapped in another name."""
    body = request["body"]
    return {**request, "body": {**body, "content": {there: body["content"][here]}}}


def _names_missed(answer: HttpAnswer, sent: str) -> dict[str, None]:
    if answer.status not in (400, 422):
        return {}
    try:
        return dict.fromkeys(_missed(json.loads(answer.text), sent, 0))
    except ValueError:
        return {}


def _missed(told: Any, sent: str, depth: int) -> Iterator[str]:
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
            # Below what was sent are its own fields, and below these the request's other parts.
            elif name != sent and name not in _OTHER_PARTS:
                yield from _missed(entry, sent, depth + 1)


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
