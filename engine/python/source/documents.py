"""The files that document examples: their lines, the headings over these, and what a section shows."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from ....utils.python_names import last_name, printed_argument
from ....utils.python_source import expression_or_none, source_lines
from ....utils.untrusted_files import source_or_empty

_QUOTES = ('"""', "'''")
_MOST_LINES = 400
_MOST_WORDS = 8
_UNDERLINE = re.compile(r"\s*([=\-~^\"'#*+])\1{2,}\s*$")
_HASHES = re.compile(r"#{1,6} \w")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})[^`]*$")
_MARKDOWN = (".md", ".markdown", ".mdx")


class Document:
    """A file that documents examples; what is read of it as a whole is read once.

    Attributes:
        lines: its lines as Python counts them, with spaces for tabs.
    """

    def __init__(self, path: str, text: str) -> None:
        self.lines: Sequence[str] = source_lines(text.expandtabs())
        self._in_code = path.endswith(".py")
        self._in_markdown = path.endswith(_MARKDOWN)
        self._fitting: dict[int, bool] = {}

    def heading_over(self, at: int) -> str:
        """The heading over a line, where all calls of its section are alike; empty where there is none.

        In code, the heading stands in the same docstring.
        """
        before = bisect_left(self._headings, at)
        start = self._headings[before - 1] if before else -1
        if start < max(at - _MOST_LINES, 0) or bisect_left(self._quotes, start) < bisect_left(self._quotes, at):
            return ""
        if start not in self._fitting:
            self._fitting[start] = _is_of_one_kind(self._section(start))
        return self.lines[start] if self._fitting[start] else ""

    def _section(self, start: int) -> Sequence[str]:
        """The lines below a heading, up to the next one; none where these are too many to be of one example."""
        ends = [places[bisect_right(places, start) :][:1] for places in (self._headings, self._quotes)]
        end = min((*ends[0], *ends[1], len(self.lines)))
        return self.lines[start + 1 : end] if end - start <= 2 * _MOST_LINES else ()

    @cached_property
    def _headings(self) -> list[int]:
        return [at for at in self._outside_fences() if self._is_heading(at)]

    @cached_property
    def _quotes(self) -> list[int]:
        """The lines of code with triple quotes, where docstrings begin and end."""
        if not self._in_code:
            return []
        return [at for at, line in enumerate(self.lines) if any(quote in line for quote in _QUOTES)]

    def _outside_fences(self) -> Iterator[int]:
        """The lines that stand in no fenced block. Outside of Markdown, tildes underline headings."""
        fence, quotes = "", frozenset(self._quotes)
        for at, line in enumerate(self.lines):
            found = _FENCE.match(line)
            marks = found[1] if found is not None and (found[1][0] == "`" or self._in_markdown) else ""
            if at in quotes:
                fence = ""  # no block goes on behind its docstring
            elif fence:
                fence = "" if marks.startswith(fence) and line.strip() == marks else fence
            elif marks:
                fence = marks
            else:
                yield at

    def _is_heading(self, at: int) -> bool:
        line = self.lines[at].strip()
        if _HASHES.match(self.lines[at]):
            return not self._in_code  # there it is a comment
        under = self.lines[at + 1] if at + 1 < len(self.lines) else ""
        alone = at == 0 or not self.lines[at - 1].strip() or _UNDERLINE.match(self.lines[at - 1]) is not None
        words = re.match(r"[A-Za-z`]", line) is not None and len(line.split()) <= _MOST_WORDS
        return words and alone and _UNDERLINE.match(under) is not None and len(under.strip()) >= len(line)


Documents = Mapping[str, Document]
"""Files that document cases, by their paths."""


def documents_of(root: Path, paths: Iterable[str]) -> Documents:
    """The files of a project at these paths; one that cannot be read has no lines. Blocks."""
    return {path: Document(path, source_or_empty(root, path)) for path in sorted(set(paths))}


def _is_of_one_kind(section: Sequence[str]) -> bool:
    """Whether all that a section shows are calls of one function with the same options, so that its heading fits."""
    found: set[tuple[str, tuple[str, ...]]] = set()
    for code in _statements(section):
        node = expression_or_none(code)
        while isinstance(node, ast.Compare | ast.Call):
            inner = node.left if isinstance(node, ast.Compare) else printed_argument(node)
            if inner is None:
                break
            node = inner
        if isinstance(node, ast.Call):
            found.add((last_name(node.func), tuple(sorted(one.arg or "" for one in node.keywords))))
    return len(found) == 1


def _statements(section: Sequence[str]) -> list[str]:
    """The statements of a session, without prompts; one of several lines is joined."""
    found: list[str] = []
    for line in section:
        code = line.strip()
        if code.startswith(">>> "):
            found.append(code[4:])
        elif code.startswith("... ") and found:
            found[-1] += f"\n{code[4:]}"
    return found
