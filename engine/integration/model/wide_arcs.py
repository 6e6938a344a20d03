"""The arcs of several files in one number space, and the edges between files among them.

Lines of the entry's file are themselves; those of the component number n (from 1) have n * OFFSET added, as the worker
tells them (sandbox/worker/observe/wide_trace.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...python.model.arcs import ArcMap
from ...python.model.model import Arc, CallableFacts
from .components import Edge

OFFSET = 1_000_000  # as in the worker, which cannot be imported here


class WideArcs(ArcMap):
    """An `ArcMap` over several files; each is read once.

    Args:
        modules: dotted names of the components, the entry first.
        sources: their files' texts, in the same order; None for one that cannot be read.

    Raises:
        SyntaxError: the entry's source is no Python.
    """

    def __init__(self, modules: Sequence[str], sources: Sequence[str | None]) -> None:
        # ArcMap.__init__ is not called: each file has a map of its own.
        self.modules = tuple(modules)
        self.sources = tuple(sources)
        self._maps = [ArcMap(text) if text is not None else None for text in sources]
        self.possible = frozenset(
            _moved(arc, number) for number, map_ in enumerate(self._maps) if map_ is not None for arc in map_.possible
        )

    def real(self, arcs: Iterable[Arc]) -> frozenset[Arc]:
        """Traced arcs by the first lines of their statements; calls between files as they were traced."""
        inside: dict[int, set[Arc]] = {}
        found: set[Arc] = set()
        for start, end in arcs:
            number = _number(start)
            if number != _number(end):
                found.add((start, end))
            else:
                inside.setdefault(number, set()).add((_line(start), _line(end)))
        for number, own in inside.items():
            arc_map = self._maps[number] if number < len(self._maps) else None
            if arc_map is not None:
                found.update(_moved(arc, number) for arc in arc_map.real(own))
        return frozenset(found)

    def edges(self, arcs: Iterable[Arc]) -> frozenset[Edge]:
        """Which component was seen to call which."""
        return frozenset(
            Edge(self.modules[_number(start)], self.modules[_number(end)])
            for start, end in arcs
            if _number(start) != _number(end) and max(_number(start), _number(end)) < len(self.modules)
        )

    def run(self, arcs: Iterable[Arc]) -> frozenset[str]:
        """The components that a line was seen to run of."""
        numbers = {_number(line) for arc in arcs for line in arc}
        return frozenset(self.modules[number] for number in numbers if number < len(self.modules))

    def within(self, one: CallableFacts) -> frozenset[Arc]:
        """The possible arcs of a callable of the entry."""
        first = self._maps[0]
        return first.within(one) if first is not None else frozenset()


def _number(line: int) -> int:
    return abs(line) // OFFSET


def _line(line: int) -> int:
    return line % OFFSET if line >= 0 else -(-line % OFFSET)


def _moved(arc: Arc, number: int) -> Arc:
    base = number * OFFSET
    start, end = arc
    return (start + base if start >= 0 else start - base, end + base if end >= 0 else end - base)
