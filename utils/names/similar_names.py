"""Finds the names that somebody may have meant by one that is missing, in bounded time whatever the names are."""

from __future__ import annotations

import difflib
import heapq
from collections.abc import Iterable

_MOST_LETTERS = 128
_ALL_LETTERS = 300_000
_COMPARED = 20


def similar_names(name: str, known: Iterable[str], *, most: int = 3, cutoff: float = 0.6) -> list[str]:
    """The known names most like a missing one, the best first; none for a name of more than 128 letters.

    The likeness is that of `difflib`, whose time grows with the third power of the length: only the twenty best by
    their longest common subsequence, which is never less, are compared so. Of very many names the first ones count.
    """
    if len(name) > _MOST_LETTERS:
        return []
    wanted, left, found = _Letters(name), _ALL_LETTERS, list[tuple[float, str]]()
    for other in known:
        length = len(name) + len(other)
        if len(other) > _MOST_LETTERS or 2 * min(len(name), len(other)) < cutoff * length:
            continue
        left -= len(other)
        if left < 0:
            break
        likeness = 2 * wanted.common(other) / length if length else 1.0
        if likeness >= cutoff:
            found.append((likeness, other))
    best = [other for _, other in heapq.nlargest(_COMPARED, found)]
    return difflib.get_close_matches(name, best, n=most, cutoff=cutoff)


class _Letters:
    """Compares a text with others in a few operations for each letter (Hyyrö: bit-parallel subsequences)."""

    def __init__(self, text: str) -> None:
        self._all = (1 << len(text)) - 1
        self._places: dict[str, int] = {}
        for at, letter in enumerate(text):
            self._places[letter] = self._places.get(letter, 0) | 1 << at

    def common(self, other: str) -> int:
        """The length of the longest common subsequence."""
        row = self._all
        for letter in other:
            matches = row & self._places.get(letter, 0)
            row = ((row + matches) | (row - matches)) & self._all
        return len(self._places) and (self._all ^ row).bit_count()
