"""Lists the files of a project that are searched, and cuts them into passages of words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ...engine.python.project.layout import find_layout
from ...utils.generated_header import is_untouched
from ...utils.python_source import parse_or_none, source_lines
from ...utils.untrusted_files import is_source_file

_MAX_FILE_BYTES = 512 * 1024


@dataclass(frozen=True, slots=True)
class Passage:
    """One chunk of one file; `path` is relative to the project's root, in POSIX form."""

    path: str
    chunk: Chunk


@dataclass(frozen=True, slots=True)
class FileStamp:
    """A file's modification time (ns) and size (bytes): when either differs, its content is read again."""

    path: str
    modified: int
    size: int


def list_files(root: Path) -> tuple[FileStamp, ...]:
    """The modules, tests and documents of a project up to 512 KiB, sorted by path.

    Raises:
        ProjectError: the root is no readable folder.
    """
    layout = find_layout(root)
    paths = {module.path for module in layout.modules} | {*layout.test_files, *layout.side_files, *layout.documents}
    found: list[FileStamp] = []
    for path in sorted(paths):
        # A link may lead out of the project, and a pipe has no end.
        if not is_source_file(root, root / path):
            continue
        try:
            state = (root / path).stat()
        except OSError:  # deleted since the folder was listed
            continue
        if state.st_size <= _MAX_FILE_BYTES:
            found.append(FileStamp(path, state.st_mtime_ns, state.st_size))
    return tuple(found)


def is_test_file(path: str) -> bool:
    """Whether a path follows the naming conventions of Python tests."""
    name = path.rpartition("/")[2]
    return name.startswith("test_") or name.endswith("_test.py") or "/tests/" in f"/{path}" or "/test/" in f"/{path}"


def passages_of(path: str, content: bytes) -> Iterator[tuple[Passage, str]]:
    """The passages of one file, each with its text; none of a file that testwright wrote, whoever changed it since.

    What its tests pin is no document, and a second run would find other things than the first.
    """
    text = content.decode("utf-8", "replace")
    if is_untouched(text) is not None:
        return
    chunks = python_chunks(text, is_test=is_test_file(path)) if path.endswith(".py") else document_chunks(text)
    lines = source_lines(text)
    for chunk in chunks:
        yield Passage(path, chunk), "\n".join(lines[chunk.first - 1 : chunk.last])


Kind = Literal["module", "class", "function", "method", "test", "section", "text"]
_MAX_LINES = 120
_MAX_LINE = 4096
"""Characters of a line in which a heading is looked for."""
_HEADING = re.compile(r"^#{1,6}\s+(\S.*)$")
_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+.])\1{2,}\s*$")
_FENCE = re.compile(r"^\s*(```|~~~)")
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Chunk:
    """A range of lines of a file (from 1, both included).

    Attributes:
        name: the function, method or class, or the heading of the section.
        summary: the first paragraph of its docstring.
    """

    first: int
    last: int
    kind: Kind
    name: str
    summary: str = ""


def python_chunks(source: str, *, is_test: bool = False) -> list[Chunk]:
    """Chunks of a Python module; one that does not parse is cut into windows of lines."""
    count = len(source_lines(source))
    tree = parse_or_none(source)
    if tree is None:
        return list(_windows(1, count, "text", ""))
    found: list[Chunk] = []
    covered = 0
    for node in tree.body:
        if isinstance(node, Function | ast.ClassDef):
            first = _first_line(node)
            found += _windows(covered + 1, first - 1, "module", "")
            if isinstance(node, ast.ClassDef):
                found += _class_chunks(node, is_test)
            else:
                kind: Kind = "test" if _tests(node, is_test) else "function"
                found += _windows(first, _last(node), kind, node.name, _summary(node))
            covered = _last(node)
    found += _windows(covered + 1, count, "module", "")
    lines = source_lines(source)
    return [chunk for chunk in found if any(line.strip() for line in lines[chunk.first - 1 : chunk.last])]


def document_chunks(text: str) -> list[Chunk]:
    """Chunks of a Markdown, reStructuredText or plain text document, one a heading."""
    lines = [line[:_MAX_LINE] for line in source_lines(text)]
    starts: list[tuple[int, str]] = [(1, "")]
    fenced = False
    for number, line in enumerate(lines, start=1):
        if _FENCE.match(line):
            fenced = not fenced
        if fenced or _FENCE.match(line):
            continue
        heading = _HEADING.match(line)
        if heading:
            # Cut here: a pattern for both ends takes quadratic time on blanks within the line.
            starts.append((number, heading[1].rstrip("#").rstrip() or heading[1]))
        elif (
            number > 1
            and _UNDERLINE.match(line)
            and lines[number - 2].strip()
            and not _UNDERLINE.match(lines[number - 2])
        ):
            starts.append((number - 1, lines[number - 2].strip()))
    found: list[Chunk] = []
    for (first, name), following in zip(starts, [*starts[1:], (len(lines) + 1, "")], strict=True):
        found += _windows(first, following[0] - 1, "section", name)
    return [chunk for chunk in found if any(line.strip() for line in lines[chunk.first - 1 : chunk.last])]


def _class_chunks(node: ast.ClassDef, is_test: bool) -> Iterator[Chunk]:
    """One chunk for the class body between methods, one for each method."""
    start = _first_line(node)
    for member in node.body:
        if isinstance(member, Function):
            first = _first_line(member)
            yield from _windows(start, first - 1, "class", node.name, _summary(node))
            kind: Kind = "test" if _tests(member, is_test) else "method"
            yield from _windows(first, _last(member), kind, f"{node.name}.{member.name}", _summary(member))
            start = _last(member) + 1
    yield from _windows(start, _last(node), "class", node.name, _summary(node))


def _summary(node: Function | ast.ClassDef) -> str:
    return (ast.get_docstring(node) or "").partition("\n\n")[0]


def _tests(node: Function, is_test: bool) -> bool:
    return is_test and node.name.startswith("test")


def _first_line(node: Function | ast.ClassDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _last(node: Function | ast.ClassDef) -> int:
    return node.end_lineno or node.lineno


def _windows(first: int, last: int, kind: Kind, name: str, summary: str = "") -> Iterator[Chunk]:
    """The lines in pieces of at most 120; only the first one has the summary, where the docstring is."""
    for start in range(first, last + 1, _MAX_LINES):
        yield Chunk(start, min(last, start + _MAX_LINES - 1), kind, name, summary if start == first else "")
