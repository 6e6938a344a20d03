"""The indefinite article of nouns in messages and titles: "a user", "an hour"."""

from __future__ import annotations

import re

_SPOKEN_WITH_A = re.compile(r"uni(?!n)|use|usu|util|eu|ewe|one(?!i)|once|ubiq|uk\b|ur[il]|u-|u\b")
"""Begin with a vowel and are spoken with a consonant: "a unit", "a user", "an unindented line"."""
_SPOKEN_WITH_AN = re.compile(r"hour|hono|honest|heir")
"""Begin with a consonant that is not spoken: "an hour"."""


def article(text: str) -> str:
    """`a` or `an`, as a text that begins with a noun or an adjective is spoken."""
    word = text.lower()
    if _SPOKEN_WITH_A.match(word):
        return "a"
    return "an" if word[:1] in tuple("aeiou") or _SPOKEN_WITH_AN.match(word) else "a"


def with_article(text: str) -> str:
    """A text with its article: "an input", "a user"."""
    return f"{article(text)} {text}"
