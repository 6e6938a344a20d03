"""Takes items of several iterables in turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def in_turns(iterables: Iterable[Iterable[T]]) -> Iterator[T]:
    """Yields the first item of each iterable, then the second ones, and so on until all are exhausted.

    An iterable is advanced only when its item is taken.
    """
    turns = [iter(iterable) for iterable in iterables]
    while turns:
        unfinished: list[Iterator[T]] = []
        for turn in turns:
            for item in islice(turn, 1):
                unfinished.append(turn)
                yield item
        turns = unfinished
