"""Templates that fit our arguments and answers to those of somebody else's tool.

A template is JSON. In its strings `{name.part.0}` stands for a value: alone in a string the value keeps its type,
within other text it is written out; `{{` and `}}` are braces. An object `{"$each": "{answer.hits}", "$as": …}` makes a
list, one entry for each `{item}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

EACH, AS = "$each", "$as"
_PIECE = re.compile(r"\{\{|\}\}|\{(?P<path>[A-Za-z_][\w-]*(?:\.[\w-]+)*)\}|[{}]")


class Missing(LookupError):
    """A template speaks of something that is not there; the message says what."""


def filled(template: Any, scope: Mapping[str, Any]) -> Any:
    """The template with its values.

    Raises:
        Missing: a reference leads nowhere, or `$each` to something that is no list.
    """
    if isinstance(template, str):
        return _text(template, scope)
    if isinstance(template, list | tuple):
        return [filled(one, scope) for one in template]
    if isinstance(template, Mapping):
        if EACH in template:
            items = filled(template[EACH], scope)
            if not isinstance(items, list):
                raise Missing(f"{template[EACH]} is no list")
            return [filled(template[AS], {**scope, "item": one}) for one in items]
        return {key: filled(one, scope) for key, one in template.items()}
    return template


def roots(template: Any) -> Iterator[str]:
    """The first part of every reference in a template.

    Raises:
        ValueError: it is not well formed.
    """
    if isinstance(template, str):
        for piece in _PIECE.finditer(template):
            if piece.group() in ("{", "}"):
                raise ValueError(f"{template!r} has a single brace; write {{{{ or }}}} for one")
            if piece["path"]:
                yield piece["path"].partition(".")[0]
    elif isinstance(template, list | tuple):
        for one in template:
            yield from roots(one)
    elif isinstance(template, Mapping):
        if (EACH in template or AS in template) and set(template) != {EACH, AS}:
            raise ValueError(f"an object with {EACH} has {EACH} and {AS}, nothing else")
        for one in template.values():
            yield from roots(one)


def _text(template: str, scope: Mapping[str, Any]) -> Any:
    whole = _PIECE.fullmatch(template)
    if whole is not None and whole["path"]:
        return _value(whole["path"], scope)

    def written(piece: re.Match[str]) -> str:
        if not piece["path"]:
            return piece.group()[0]
        value = _value(piece["path"], scope)
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    return _PIECE.sub(written, template)


def _value(path: str, scope: Mapping[str, Any]) -> Any:
    value: Any = scope
    for part in path.split("."):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            raise Missing(f"there is no {path}")
    return value
