"""Compares texts by their words, the same way each time: for duplicates, and for how well a piece fits a query."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Protocol

from ...utils.names.words import split_words

DUPLICATE = 0.9
"""Similarity from which two pieces say the same."""

_VALUE = re.compile(
    r"\d[\w.]*|'[^'\n]*'|\"[^\"\n]*\"|\b(?:not|no|never|without|true|false|none|raises?)\b|n't", re.IGNORECASE
)


class Similarity(Protocol):
    """Compares texts; implemented by words here, and by whatever embeds texts elsewhere."""

    def between(self, one: str, other: str) -> float:
        """How alike two texts are in meaning, 0 to 1."""
        ...

    def group(self, text: str) -> Hashable:
        """What texts that are alike have in common: those of different groups need no comparison."""
        ...

    def ranked(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text fits a query, higher is better."""
        ...


class WordSimilarity:
    """The cosine of word counts, and BM25-like weights for queries.

    Texts that differ in a number, a quoted value or a negation are not alike, however many words they share: it is what
    two sources that contradict each other differ in.
    """

    def between(self, one: str, other: str) -> float:
        """See `Similarity.between`."""
        if _values(one) != _values(other):
            return 0.0
        left, right = _words(one), _words(other)
        if not left or not right:
            return 1.0 if one.split() == other.split() else 0.0
        return _cosine(left, right)

    def group(self, text: str) -> Hashable:
        """See `Similarity.group`: the values that a text names."""
        return frozenset(_values(text).items())

    def ranked(self, query: str, texts: Sequence[str]) -> list[float]:
        """See `Similarity.ranked`."""
        counts = [Counter(split_words(text)) for text in texts]
        wanted = set(split_words(query))
        weights = {word: math.log(1 + len(texts) / (1 + sum(word in one for one in counts))) for word in wanted}
        return [_fit(one, weights) for one in counts]


@lru_cache(maxsize=1024)  # a piece is compared with each other one
def _words(text: str) -> Mapping[str, int]:
    return Counter(split_words(text))


@lru_cache(maxsize=1024)
def _values(text: str) -> Counter[str]:
    return Counter(found[0].lower() for found in _VALUE.finditer(text))


def _cosine(left: Mapping[str, int], right: Mapping[str, int]) -> float:
    shared = sum(count * right.get(word, 0) for word, count in left.items())
    size = math.sqrt(sum(one * one for one in left.values()) * sum(one * one for one in right.values()))
    return shared / size


def _fit(counts: Mapping[str, int], weights: Mapping[str, float]) -> float:
    return sum(weight * counts.get(word, 0) / (1.5 + counts.get(word, 0)) for word, weight in weights.items())
