"""Mutates structured texts by lines and tokens, and lists of words by their items."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_EDGES = "[](){}|,;:'\"`"
_MOST_WORDS = 40
_LONGEST_WORD = 30


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
