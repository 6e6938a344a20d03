"""Replaces parts of a module's text by the places that its syntax tree has."""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """A change of one part of a module: `start` and `end` are offsets into its UTF-8 text."""

    start: int
    end: int
    text: str


class Source:
    """A module's text and syntax tree.

    Args:
        text: Python source; an error in it raises SyntaxError.
    """

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text)
        self._bytes = text.encode()
        self._begins = [0]
        for line in self._bytes.splitlines(keepends=True):
            self._begins.append(self._begins[-1] + len(line))

    def offset(self, line: int, column: int) -> int:
        return self._begins[line - 1] + column

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def of(self, node: ast.expr | ast.stmt | ast.keyword) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self._bytes[start:end].decode()

    def replaced(self, node: ast.expr | ast.stmt | ast.keyword, text: str) -> Edit:
        return Edit(*self.span(node), text)

    def dropped(self, call: ast.Call, argument: ast.expr | ast.keyword) -> Edit:
        """Take an argument out of a call, with the comma behind or before it."""
        return self._without(argument, self.span(call)[0])

    def entry_dropped(self, node: ast.Dict, at: int) -> Edit:
        """Take an entry out of a dictionary."""
        key, value = node.keys[at], node.values[at]
        assert key is not None
        start, end = self.span(key)[0], self.span(value)[1]
        return self._cut(start, end, self.span(node)[0])

    def applied(self, edit: Edit) -> str:
        """The text with a change."""
        return (self._bytes[: edit.start] + edit.text.encode() + self._bytes[edit.end :]).decode()

    def _without(self, node: ast.expr | ast.keyword, begin: int) -> Edit:
        start, end = self.span(node)
        return self._cut(start, end, begin)

    def _cut(self, start: int, end: int, begin: int) -> Edit:
        behind = self._bytes[end:]
        comma = len(behind) - len(behind.lstrip())
        if behind[comma : comma + 1] == b",":
            return Edit(start, end + comma + 1, "")
        before = self._bytes[begin:start].rstrip()
        return Edit(begin + len(before) - 1 if before.endswith(b",") else start, end, "")

    def lines(self, edit: Edit) -> tuple[int, str, str]:
        """The first line that a change touches, and its lines before and after."""
        first = self._bytes.rfind(b"\n", 0, edit.start) + 1
        last = self._bytes.find(b"\n", edit.end)
        last = len(self._bytes) if last < 0 else last
        before = self._bytes[first:last].decode()
        after = (self._bytes[first : edit.start] + edit.text.encode() + self._bytes[edit.end : last]).decode()
        return self._bytes.count(b"\n", 0, edit.start) + 1, " ".join(before.split()), " ".join(after.split())
