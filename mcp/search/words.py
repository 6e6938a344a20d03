"""Words of code and prose for search: identifiers whole and in parts, plurals and common words folded away."""

from __future__ import annotations

import keyword
import re

_IDENTIFIER = re.compile(r"[^\W\d]\w*|\d+")
_BORDERS = re.compile(r"_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_COMMON = frozenset(
    "a an and are as at be by do does for from how i if in into is it its me of on or our please that the their them "
    "then there these this to unit units test tests testing was we what when where which will with write you your "
    "self cls args kwargs".split()
) | frozenset(word.lower() for word in keyword.kwlist)


def words_of(text: str) -> list[str]:
    """The words of a text, in order: `CartItem.add_many` gives cartitem, cart, item, add_many, add, many."""
    found: list[str] = []
    for identifier in _IDENTIFIER.findall(text):
        parts = [part.lower() for part in _BORDERS.split(identifier) if part]
        whole = identifier.lower()
        for word in [whole, *parts] if len(parts) > 1 or parts != [whole] else [whole]:
            folded = _folded(word)
            if folded and folded not in _COMMON:
                found.append(folded)
    return found


def _folded(word: str) -> str:
    if len(word) < 2 and not word.isdigit():
        return ""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
