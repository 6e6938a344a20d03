"""Computes the possible arcs of a file with coverage.py's parser, and maps traced arcs onto them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from coverage.exceptions import CoverageException
from coverage.parser import PythonParser

from ....utils.python_source import exclusive_parsing
from .model import Arc, CallableFacts, Lines


class ArcMap:
    """The arcs of one source file; the file is parsed once.

    Raises:
        SyntaxError: coverage.py cannot read the source.
    """

    def __init__(self, source: str) -> None:
        self.possible = possible_arcs(source)
        self._real: dict[frozenset[Arc], frozenset[Arc]] = {}
        self._from: dict[int, list[Arc]] = {}
        for arc in self.possible:
            self._from.setdefault(abs(arc[0]), []).append(arc)
        self._parser = PythonParser(text=_not_empty(source))
        try:
            with exclusive_parsing():
                self._parser.parse_source()
                self._parser.arcs()
        except CoverageException as error:
            raise SyntaxError(str(error)) from error

    def real(self, arcs: Iterable[Arc]) -> frozenset[Arc]:
        """Traced arcs by the first lines of their statements, without arcs that are not possible in the source."""
        given = frozenset(arcs)
        found = self._real.get(given)
        if found is None:  # cached, because many trials take the same path
            found = self._real[given] = frozenset(self._parser.translate_arcs(given)) & self.possible
        return found

    def within(self, one: CallableFacts) -> frozenset[Arc]:
        """The possible arcs of a callable's own lines."""
        first, last = one.lines
        lines = range(first, last + 1)
        return frozenset(arc for line in lines for arc in self._from.get(line, ()) if abs(arc[1]) in lines)


def runs_body(one: CallableFacts, arcs: Iterable[Arc]) -> bool:
    """Whether arcs that ran, traced or possible ones, are some of a callable's own lines."""
    first, last = one.lines
    return any(first <= abs(start) <= last and first <= abs(end) <= last for start, end in arcs)


def own_arcs(one: CallableFacts, arcs: Iterable[Arc]) -> frozenset[Arc]:
    """Those of some arcs that lie within a callable's own lines."""
    return arcs_within(one.lines, arcs)


def arcs_within(lines: Lines, arcs: Iterable[Arc]) -> frozenset[Arc]:
    """Those of some arcs that lie within the lines from the first to the last one."""
    first, last = lines
    return frozenset(arc for arc in arcs if first <= abs(arc[0]) <= last and first <= abs(arc[1]) <= last)


@lru_cache(maxsize=4)
def possible_arcs(source: str) -> frozenset[Arc]:
    """Every arc between lines of the source; entry and exit of a code object are negative line numbers.

    Raises:
        SyntaxError: coverage.py cannot read the source.
    """
    return frozenset(_parser(source).arcs())


@lru_cache(maxsize=4)
def branch_arcs(source: str) -> frozenset[Arc]:
    """The arcs that leave a line with more than one way out: what branch coverage counts. Raises SyntaxError."""
    parser = _parser(source)
    exits = parser.exit_counts()
    return frozenset(arc for arc in parser.arcs() if exits.get(arc[0], 0) > 1)


def _not_empty(source: str) -> str:
    """Return what coverage.py takes for a source: an empty text is to it as none."""
    return source or "\n"


@lru_cache(maxsize=2)
def _parser(source: str) -> PythonParser:
    parser = PythonParser(text=_not_empty(source), exclude=r"#\s*(pragma|PRAGMA)[:\s]?\s*(no|NO)\s*(cover|COVER)")
    try:
        with exclusive_parsing():
            parser.parse_source()
            parser.arcs()
    except CoverageException as error:
        raise SyntaxError(str(error)) from error
    return parser
