"""Slices a module's text by the positions of its syntax tree."""

from __future__ import annotations

import ast
import importlib.util

SNIPPET = 200


class SourceText:
    """The decoded source as UTF-8, which is what the columns of a syntax tree count in.

    Raises:
        SyntaxError: the file's encoding is unknown or does not fit.
    """

    def __init__(self, source: bytes) -> None:
        try:
            self.text = importlib.util.decode_source(source)
        except UnicodeDecodeError as error:
            raise SyntaxError(str(error)) from error
        self.data = self.text.encode("utf-8")
        self._starts = [0]
        for line in self.data.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node's own text begins and ends."""
        first, last = getattr(node, "lineno"), getattr(node, "end_lineno")  # noqa: B009 - not every AST has a place
        return (
            self._starts[first - 1] + getattr(node, "col_offset"),  # noqa: B009
            self._starts[last - 1] + getattr(node, "end_col_offset"),  # noqa: B009
        )

    def part(self, start: int, end: int) -> str:
        """The text between two places."""
        return self.data[start:end].decode("utf-8")

    def line_at(self, place: int) -> int:
        """The line of a place, counted from 1."""
        return self.data.count(b"\n", 0, place) + 1

    def line(self, number: int) -> str:
        """One line."""
        return self.data[self._starts[number - 1] : self._starts[number]].decode("utf-8").rstrip("\n")

    def snippets(self, start: int, end: int, replacement: str) -> tuple[str, str]:
        """The lines around a change without and with it, stripped and shortened."""
        first = self.data.rfind(b"\n", 0, start) + 1
        found = self.data.find(b"\n", end)
        last = len(self.data) if found < 0 else found
        before = self.part(first, last)
        after = self.part(first, start) + replacement + self.part(end, last)
        return before.strip()[:SNIPPET], after.strip()[:SNIPPET]
