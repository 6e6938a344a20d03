"""Tells texts that a person would write from those that a search put together."""

from __future__ import annotations

import re
from functools import lru_cache

from ....utils.python_source import literal_or
from ..domain.example_tables import CASED_WORDS, ELLIPSES, INDENTS, LINES, TEXTS, WORD_ROWS, WORDS
from ..facts.type_inference import BY_NAME
from .text_formats import ALL_TEXTS

PLAIN_WORDS = ("name", "value", "other", "first", "second", "third")
_WORD = re.compile("[A-Za-z]+")
_BY_NAME = [literal_or(source, "") for _, kind, sources in BY_NAME if kind == "str" for source in sources]
_SHAPED = [*INDENTS, *ELLIPSES, *CASED_WORDS, *(f"  {text} " for text in CASED_WORDS)]
_SAMPLES = frozenset(
    (
        *PLAIN_WORDS,
        *WORDS,
        *TEXTS,
        *LINES,
        *_SHAPED,
        *ALL_TEXTS,
        *_BY_NAME,
        *(word for row in WORD_ROWS for word in row),
    )
)
KNOWN_WORDS = frozenset(word.lower() for text in _SAMPLES for word in _WORD.findall(text))
_SHORT_WORDS = frozenset(
    "am an as at be by do go he if in is it me my no of ok on or so to up us we all and any are but can end for get "
    "has her him his how its let may new not now off old one our out put see set she the too top two use was who why "
    "yes you".split()
)
_SHORT = 2
_LONGEST_WORD = 40
MANGLED = 3


def is_sample(text: str) -> bool:
    """Whether a text is one of the natural values."""
    return text in _SAMPLES


@lru_cache(maxsize=8192)
def oddness(text: str) -> int:
    """Rates how far a text is from what a person would write.

    Returns:
        0 for a sample or a plain word or number; 1 for known words with punctuation; 2 for fragments: letters, signs,
        a quote or bracket that is not closed; `MANGLED` for unknown words and signs that do not print.
    """
    if text in _SAMPLES or not text:
        return 0
    if not text.isascii() or not all(letter.isprintable() or letter == "\n" for letter in text):
        return MANGLED
    words = [word.lower() for word in _WORD.findall(text)]
    if not all(word in KNOWN_WORDS or len(word) <= _SHORT for word in words):
        return MANGLED
    if text.isalnum():
        return 0
    closed = all(text.count(quote) % 2 == 0 for quote in "'\"`")
    closed = closed and all(text.count(left) == text.count(right) for left, right in ("()", "[]", "{}"))
    return 1 if closed and any(len(word) > _SHORT for word in words) else 2


def oddness_beside(text: str, fitting: frozenset[str]) -> int:
    """Rates a text in a module: a sample of a format that the module does not speak of is odder than a plain word.

    Args:
        fitting: samples of the formats that the module speaks of.
    """
    return 1 if text in ALL_TEXTS and text not in fitting else oddness(text)


def is_half_word(text: str, words: frozenset[str]) -> bool:
    """Whether a text is the beginning or the end of a word that persons use: "va" of "value"."""
    known = text in words or any(text.lower() in whole for whole in (KNOWN_WORDS, _SHORT_WORDS))
    if known or not text.isalpha() or len(text) < _SHORT:
        return False
    return text in _halves(words) or text in _halves(KNOWN_WORDS)


@lru_cache(maxsize=32)
def _halves(words: frozenset[str]) -> frozenset[str]:
    """The beginnings and the ends of words, which lack more than one letter."""
    plain = [word for word in words if word.isalpha() and len(word) <= _LONGEST_WORD]
    sizes = {word: range(_SHORT, len(word) - 1) for word in plain}
    return frozenset(half for word in plain for size in sizes[word] for half in (word[:size], word[-size:]))
