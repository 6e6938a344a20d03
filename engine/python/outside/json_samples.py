"""Writes JSON values of a shape that a person would write: two different items in a list, words, small numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ....utils.python_source import literal_or
from .json_shapes import JsonShape

Json = object
_TEXTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"(user_?|first_?|full_?|last_?)?name|author|user|login|owner|customer", ("Ann", "Bob", "Cleo")),
    (r"title|subject|headline|summary", ("Fix the login", "Add a logo", "Write the manual")),
    (r"e?mail", ("ann@example.org", "bob@example.org", "cleo@example.org")),
    (r".*(date|day)|.*_on", ("2024-05-03", "2024-05-04", "2024-05-05")),
    (r".*(time|timestamp|_at)|datetime", ("2024-05-03T10:30:00", "2024-05-04T18:00:00", "2024-05-05T09:15:00")),
    (r".*(url|uri|href|link)", ("https://example.org/one", "https://example.org/two", "https://example.org/three")),
    (r"version|tag", ("1.2.3", "1.3.0", "2.0.0")),
    (r"city|place|location|town", ("Paris", "Oslo", "Rome")),
    (r"country", ("France", "Norway", "Italy")),
    (r"currency", ("EUR", "USD", "GBP")),
    (r".*token|.*key|hash|sha|digest", ("a1b2c3", "d4e5f6", "0718293")),
    (r"lang(uage)?|locale", ("en", "fr", "de")),
    (r"message|text|body|content|description|detail|error", ("All is well", "Try again", "See you soon")),
)
_NUMBERS = (
    r"(.*_)?(id|number|count|total|size|length|year|age|quantity|amount|stars|votes|points|position|rank|page|pages|"
    r"high|low|max|min|limit|offset|height|width|year|port|code|seconds|minutes|hours|bytes)"
)
_REALS = r"(.*_)?(price|rate|ratio|score|temp|temperature|lat|lon|latitude|longitude|percent|weight|speed|value)"
_FLAGS = r"(is|has|can)_.*|active|open|closed|enabled|success|ok|done|draft|private|public|archived|verified"
_OPPOSITES = {"open": "closed", "closed": "open", "active": "inactive", "ok": "error", "success": "failure"}
_WORDS = ("apple", "banana", "cherry")
_INTEGERS = (7, 12, 3)
_FLOATS = (21.5, 18.25, 7.5)


def sample(shape: JsonShape, name: str = "", place: int = 0, keys: Mapping[str, str] | None = None) -> Json:
    """Returns a value of a shape.

    Args:
        name: the key that it stands under.
        place: which of several alike values is wanted.
        keys: values of the variables that are used as keys.
    """
    if shape.fields:
        return {key: sample(part, key, place, keys) for key, part in shape.fields.items()}
    if shape.item is not None and shape.keyed:
        given = [keys[variable] for variable in shape.keys if keys and variable in keys]
        names = list(dict.fromkeys((*given, *_WORDS)))[:2]
        return {key: sample(shape.item, name.removesuffix("s"), at, keys) for at, key in enumerate(names)}
    if shape.item is not None:
        return [sample(shape.item, name.removesuffix("s"), at, keys) for at in range(2)]
    return _plain(shape, name, place)


def _plain(shape: JsonShape, name: str, place: int) -> Json:
    tokens = [literal_or(token, token) for token in shape.tokens]
    if tokens:
        usual = str(tokens[0])
        return tokens[0] if place % 2 == 0 else tokens[1] if len(tokens) > 1 else _OPPOSITES.get(usual, "other")
    kind = shape.kind or _kind(name.lower())
    if kind == "integer":
        return _INTEGERS[place % 3] if name != "id" else place + 1
    if kind == "real":
        return _FLOATS[place % 3]
    if kind == "boolean":
        return place % 2 == 0
    return next((texts for pattern, texts in _TEXTS if re.fullmatch(pattern, name.lower())), _WORDS)[place % 3]


def _kind(name: str) -> str:
    for pattern, kind in ((_NUMBERS, "integer"), (_REALS, "real"), (_FLAGS, "boolean")):
        if re.fullmatch(pattern, name):
            return kind
    return "text"
