"""The arcs a file can take, by coverage.py's own reading of it, so that both count alike."""

from __future__ import annotations

from functools import lru_cache

from coverage.exceptions import CoverageException
from coverage.parser import PythonParser

from ....utils.python_source import parsing_alone
from .model import Arc


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


@lru_cache(maxsize=2)
def _parser(source: str) -> PythonParser:
    parser = PythonParser(text=source, exclude=r"#\s*(pragma|PRAGMA)[:\s]?\s*(no|NO)\s*(cover|COVER)")
    try:
        with parsing_alone():
            parser.parse_source()
            parser.arcs()
    except CoverageException as error:
        raise SyntaxError(str(error)) from error
    return parser
