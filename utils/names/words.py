"""Splits text and code into words, for searching and comparing them."""

from __future__ import annotations

import keyword
import re

_IDENTIFIER = re.compile(r"[^\W\d]\w*|\d+")
_PART_BOUNDARY = re.compile(
    r"_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])"
)
_STOP_WORDS = frozenset(
    "a an and are as at be by do does for from how i if in into is it its me of on or our please that the their them "
    "then there these this to unit units test tests testing was we what when where which will with write you your "
    "self cls args kwargs".split()
) | frozenset(word.lower() for word in keyword.kwlist)


def split_words(text: str) -> list[str]:
    """The words of a text in order, identifiers whole and in parts, without stop words and single letters.

    `CartItem.add_many` gives cartitem, cart, item, add_many, add, many.
    """
    found: list[str] = []
    for identifier in _IDENTIFIER.findall(text):
        whole = identifier.lower()
        parts = [part.lower() for part in _PART_BOUNDARY.split(identifier) if part]
        for word in [whole] if parts == [whole] else [whole, *parts]:
            if (len(word) > 1 or word.isdigit()) and word not in _STOP_WORDS:
                found.append(word)
    return found
