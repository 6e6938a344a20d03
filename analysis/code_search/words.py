"""Words of code and prose for search: identifiers whole and in parts, reduced to their stems, common words left out."""

from __future__ import annotations

import keyword
import re
from functools import lru_cache

_IDENTIFIER = re.compile(r"[^\W\d]\w*|\d+")
_BORDERS = re.compile(r"_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_COMMON = frozenset(
    "a an and are as at be by do does for from how i if in into is it its me of on or our please that the their them "
    "then there these this to unit units test tests testing was we what when where which will with write you your "
    "self cls args kwargs".split()
) | frozenset(word.lower() for word in keyword.kwlist)


def words_of(text: str) -> list[str]:
    """The stems of a text's words, in order: `CartItem.add_many` gives cartitem, cart, item, add_mani, add, mani."""
    found: list[str] = []
    for identifier in _IDENTIFIER.findall(text):
        parts = [part.lower() for part in _BORDERS.split(identifier) if part]
        whole = identifier.lower()
        for word in [whole, *parts] if len(parts) > 1 or parts != [whole] else [whole]:
            if (len(word) > 1 or word.isdigit()) and word not in _COMMON:
                found.append(stem_of(word))
    return [word for word in found if word not in _COMMON]


@lru_cache(maxsize=50_000)
def stem_of(word: str) -> str:
    """The stem of a word in small letters: `retries` and `retried` are one. A stemmer is made anew: they keep state."""
    import snowballstemmer  # the stemmers of thirty languages: loaded when something is searched

    return snowballstemmer.stemmer("english").stemWord(word)
