"""Fills templates that map our arguments and answers to those of an external tool.

A template is JSON. In its strings `{name.part.0}` refers to a value: alone in a string the value keeps its type, within
other text it is rendered; `{{` and `}}` are braces. An object `{"$each": "{answer.hits}", "$as": …}` makes a list, with
one entry for each `{item}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

EACH, AS = "$each", "$as"
_PIECE = re.compile(r"\{\{|\}\}|\{(?P<path>[A-Za-z_][\w-]*(?:\.[\w-]+)*)\}|[{}]")


class MissingValue(LookupError):
    """A template refers to a missing value; the message names it."""


def fill(template: Any, scope: Mapping[str, Any]) -> Any:
    """Returns the template with its references replaced by values.

    Raises:
        Missing: a reference has no value, or that of `$each` is no list.
    """
    if isinstance(template, str):
        return _text(template, scope)
    if isinstance(template, list | tuple):
        return [fill(part, scope) for part in template]
    if isinstance(template, Mapping):
        if EACH in template:
            items = fill(template[EACH], scope)
            if not isinstance(items, list):
                raise MissingValue(f"{template[EACH]} is no list")
            return [fill(template[AS], {**scope, "item": item}) for item in items]
        return {key: fill(part, scope) for key, part in template.items()}
    return template


def referenced_names(template: Any) -> Iterator[str]:
    """Yields the first part of every reference in a template.

    Raises:
        ValueError: the template is not well formed.
    """
    if isinstance(template, str):
        for piece in _PIECE.finditer(template):
            if piece.group() in ("{", "}"):
                raise ValueError(f"{template!r} has a single brace; write {{{{ or }}}} for one")
            if piece["path"]:
                yield piece["path"].partition(".")[0]
    elif isinstance(template, list | tuple):
        for part in template:
            yield from referenced_names(part)
    elif isinstance(template, Mapping):
        if (EACH in template or AS in template) and set(template) != {EACH, AS}:
            raise ValueError(f"an object with {EACH} has {EACH} and {AS}, nothing else")
        for part in template.values():
            yield from referenced_names(part)


def _text(template: str, scope: Mapping[str, Any]) -> Any:
    # A single reference keeps the type of its value.
    whole = _PIECE.fullmatch(template)
    if whole is not None and whole["path"]:
        return _value(whole["path"], scope)

    def render(piece: re.Match[str]) -> str:
        # `{{` or `}}`.
        if not piece["path"]:
            return piece.group()[0]
        value = _value(piece["path"], scope)
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    return _PIECE.sub(render, template)


def _value(path: str, scope: Mapping[str, Any]) -> Any:
    value: Any = scope
    for part in path.split("."):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            raise MissingValue(f"there is no {path}")
    return value
