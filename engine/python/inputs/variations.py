"""Generates variations of a value: boundaries, lengths, prefixes, other types, emptiness, changed lines and tokens."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any

from ..domain.conditions import SORTED_FLAG

_FOR_NONE = ["0", "1", "''", "'a'", "[]", "True", "{}", "lambda x: x"]
_TEXT_TYPES = "0", "1.5", "None", "b'abc'", "['a']"
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_EDGES = "[](){}|,;:'\"`"
_MOST_WORDS = 40
_LONGEST_WORD = 30


def variations(value: Any) -> list[str]:
    """Source text of values near `value`, without the value itself; the likeliest to take another branch first."""
    if isinstance(value, bool) or value is None:
        found = _FOR_NONE if value is None else [repr(not value), "None"]
    elif isinstance(value, int):
        near = [str(value + 1), str(value - 1), "0", str(-value), str(value * 10), "1", "2", f"{value}.5"]
        found = [text for text in (*near, "None", "'a'", "'3'") if len(text) < 20]
    elif isinstance(value, float):
        near = ["0.0", repr(-value), repr(value + 1), repr(value / 2)]
        found = [*near, "1", "float('nan')", "float('inf')", "None", "'a'"]
    elif isinstance(value, str):
        found = _of_text(value)
    elif isinstance(value, bytes):
        found = ["b''", repr(value + value), repr(value[:-1]), repr(b"\xff" + value), "'abc'", "None"]
    elif isinstance(value, list | tuple):
        found = _of_sequence(value)
    elif isinstance(value, set | frozenset):
        found = ["set()", repr({*sorted(value, key=repr)[:1]}) if value else "{1}", "[1, 2]"]
    elif isinstance(value, dict):
        found = _of_mapping(value)
    else:
        found = []
    return [one for one in dict.fromkeys(found) if one != repr(value)]


ORDER_PROMISED = re.compile(rf"\b{SORTED_FLAG}=True")


def in_order(value: Any) -> str | None:
    """Source of the same items in order, for data that a flag calls sorted; None where they are, or have no order."""
    if not isinstance(value, list | tuple) or len(value) < 2:
        return None
    try:
        ordered = type(value)(sorted(value))
    except TypeError:
        return None
    return None if ordered == value else repr(ordered)


def _of_text(text: str) -> list[str]:
    found = ["''"]
    if len(text) < 40:
        changed = [text.upper(), text.lower(), f" {text} ", f"{text}{text}", f"{text}\n{text}", f"-{text}", f"{text}1"]
        found += map(repr, (*changed, f"{text}.", f"{text}-{text}", text.title(), f"{text} é中"))
    if len(text) > 1:
        found += map(repr, (text[:1], text[1:], text[:-1], text[::-1], text[: len(text) // 2]))
    for index, letter in enumerate(text[:6]):
        if not letter.isalnum():
            found.append(repr(text[:index] + text[index + 1 :]))
    return [*found, *_TEXT_TYPES]


def _of_sequence(value: list[Any] | tuple[Any, ...]) -> list[str]:
    kind = type(value)
    items = list(value)
    changed: list[list[Any]] = [[], [1], ["a", "b"], [1, 2, 3, 4, 5], [[1], [2]], [None]]
    if items:
        changed = [[], items[:1], items[:-1], items + items[:1], items[::-1], [*items, None], items * 2]
        changed += [[items[0]] * 2, [*items, "a"], [items, items[:1]], [*items, 0]]
    found = [repr(kind(one)) for one in changed]
    other = tuple(items) if kind is list else items
    return [*(text for text in found if len(text) < 160), repr(other), f"iter({items!r})", "None", "1", "'abc'"]


def _of_mapping(value: dict[Any, Any]) -> list[str]:
    found: list[Any] = [{}]
    for key in list(value)[:3]:
        found.append({name: one for name, one in value.items() if name != key})
        found.append({**value, key: None})
        found.append({**value, key: {"a": 1}})
    found += [{**value, "z": 0}, {**value, 1: [1]}, list(value.items())]
    return [*(repr(one) for one in found if len(repr(one)) < 160), "None", "[]", "'a'"]


def is_structured(text: str) -> bool:
    """Whether a text has several lines or at least six tokens."""
    return "\n" in text.strip() or len(_TOKEN.findall(text)) >= 6


def changed_text(text: str, words: Sequence[str], generator: random.Random) -> str:
    """Changes one line or token of a text; `words` are the tokens that may be inserted."""
    if "\n" in text.strip() and generator.random() < 0.35:
        return "\n".join(_rearranged(text.split("\n"), generator))
    tokens: list[str] = _TOKEN.findall(text)
    solid = [index for index, token in enumerate(tokens) if not token.isspace()]
    if not solid:
        return text
    at = generator.choice(solid)
    kind = generator.randrange(6)
    if kind == 0:
        del tokens[at]
    elif kind == 1:
        tokens[at + 1 : at + 1] = [generator.choice(("", " ")), tokens[at]]
    elif kind == 2:
        other = generator.choice(solid)
        tokens[at], tokens[other] = tokens[other], tokens[at]
    elif kind == 3 or not words:
        tokens[at] = tokens[generator.choice(solid)]
    elif kind == 4:
        tokens[at] = generator.choice(words)
    else:
        tokens.insert(at + generator.randrange(2), generator.choice(words))
    return "".join(tokens)


def changed_words(items: Sequence[str], words: Sequence[str], generator: random.Random) -> list[str]:
    """Changes, drops, doubles or adds one item of a list of texts."""
    found = list(items)
    kind = generator.randrange(7)
    if (kind < 3 and words) or not found:
        found.insert(generator.randrange(len(found) + 1), generator.choice(words) if words else "a")
        return found
    at = generator.randrange(len(found))
    text = found[at]
    if kind == 3 and len(found) > 1:
        return _rearranged(found, generator)
    if kind == 4 and at + 1 < len(found):
        found[at : at + 2] = [f"{text}={found[at + 1]}"]
    elif kind == 5 and len(text) > 1:
        found[at] = text[: generator.randrange(1, len(text))]
    elif words:
        found[at] = generator.choice(words)
    else:
        del found[at]
    return found


def words_of(texts: Sequence[str]) -> list[str]:
    """The distinct words of texts, without the brackets and marks around them."""
    found: dict[str, None] = {}
    for text in texts:
        for part in text.split():
            word = part.strip(_EDGES)
            if 0 < len(word) <= _LONGEST_WORD:
                found[word] = None
    return list(found)[:_MOST_WORDS]


def _rearranged(items: list[str], generator: random.Random) -> list[str]:
    """Drops, doubles or moves one item."""
    found = list(items)
    at = generator.randrange(len(found))
    kind = generator.randrange(3)
    if kind == 0:
        del found[at]
    elif kind == 1:
        found.insert(generator.randrange(len(found) + 1), found[at])
    else:
        found.insert(generator.randrange(len(found)), found.pop(at))
    return found
