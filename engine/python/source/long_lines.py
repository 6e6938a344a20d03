"""Breaks lines of test code that a formatter leaves too long: docstrings, comments and string literals."""

from __future__ import annotations

import ast
import io
import itertools
import re
import textwrap
import tokenize
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ....utils.python_source import parse_or_none, parse_python

_Documented: TypeAlias = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_LEAST_TEXT = 24
_NESTING = 8  # what a formatter may indent a literal deeper that it puts on lines of its own
_LITERAL = re.compile(r"(?P<prefix>[bBuU]?)(?P<quote>['\"])(?P<inside>.*)(?P=quote)\Z", re.DOTALL)
# One character of a value as it is written: no literal may be cut within it.
_UNIT = re.compile(r"\\(?:N\{[^}]*\}|x..|u.{4}|U.{8}|[0-7]{1,3}|.)|.", re.DOTALL)
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_SUPPRESSION = "  # noqa: E501"


def break_long_lines(text: str, numbers: Collection[int], width: int) -> str:
    """Break the docstrings, comments and string literals of some lines; the code stays the same.

    One literal of a line is broken a call, so that a formatter can settle the rest in between.

    Args:
        numbers: the lines, counted from 1.
        width: columns that a line may have.

    Raises:
        SyntaxError: the text is not Python.
    """
    lines = text.split("\n")
    replaced = _broken_docstrings(text, lines, numbers, width)
    covered = {number for first, last in replaced for number in range(first, last + 1)}
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for number in set(numbers) - covered:
        line = lines[number - 1]
        if line.lstrip().startswith("#"):
            indent = " " * (len(line) - len(line.lstrip()))
            replaced[number, number] = _wrapped(line.lstrip("# "), f"{indent}# ", f"{indent}# ", width)
            continue
        found = _longest_literal(tokens, number)
        if found is not None:
            replaced[number, number] = [_with_parts(line, found, width)]
    for (first, last), new in sorted(replaced.items(), reverse=True):
        lines[first - 1 : last] = new
    return "\n".join(lines)


def suppress_long_lines(text: str, numbers: Collection[int]) -> str:
    """Mark lines that nothing can break, such as the head of a test with a long name, for linters."""
    lines = text.split("\n")
    for number in set(numbers):
        lines[number - 1] += _SUPPRESSION
    return "\n".join(lines)


def is_same_code(before: str, after: str, *, required: Collection[str] = ()) -> bool:
    """Whether two files differ in layout, comments, docstrings and the order of imports that stand together only.

    Args:
        required: statements of import that may be added, as those from `__future__` may.
    """
    old, new = parse_or_none(before), parse_or_none(after)
    if old is None or new is None:
        return False
    wanted = {name for text in required for name in _imported(_statements(text))}
    had = _imported(old.body)
    may_add = {name for name in _imported(new.body) - had if name in wanted or name.startswith("from __future__ ")}
    _normalize(old, frozenset())
    _normalize(new, may_add)
    return ast.dump(old) == ast.dump(new)


def _statements(text: str) -> list[ast.stmt]:
    tree = parse_or_none(text)
    return [] if tree is None else tree.body


def _imported(statements: Sequence[ast.stmt]) -> set[str]:
    """What imports among some statements import, one text a name."""
    found: set[str] = set()
    for node in statements:
        if isinstance(node, ast.Import):
            found |= {f"import {one.name} as {one.asname}" for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            place = f"{'.' * node.level}{node.module or ''}"
            found |= {f"from {place} import {one.name} as {one.asname}" for one in node.names}
    return found


def _normalize(tree: ast.Module, added: Collection[str]) -> None:
    """Take from a tree what layout may change: docstrings, the prefix `u`, the order of imports in a row, `added`."""
    for node in ast.walk(tree):
        if isinstance(node, _Documented) and _docstring(node):
            del node.body[0]
        if isinstance(node, ast.Constant):
            node.kind = None
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(node, field, None)
            # The body of a lambda or of a conditional expression is no list.
            if isinstance(statements, list):
                setattr(node, field, _with_sorted_imports(statements, added if node is tree else ()))


def _with_sorted_imports(statements: list[ast.stmt], added: Collection[str]) -> list[ast.stmt]:
    new: list[ast.stmt] = []
    for is_import, group in itertools.groupby(statements, lambda node: isinstance(node, ast.Import | ast.ImportFrom)):
        rows = list(group)
        if not is_import:
            new += rows
        elif names := sorted(_imported(rows) - set(added)):
            new.append(ast.Import([ast.alias(name) for name in names]))
    return new


def _docstring(node: _Documented) -> ast.Constant | None:
    first = node.body[0] if node.body else None
    value = first.value if isinstance(first, ast.Expr) else None
    return value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def _broken_docstrings(
    text: str, lines: list[str], numbers: Collection[int], width: int
) -> dict[tuple[int, int], list[str]]:
    """New lines of the docstrings that lie on some lines, by the first and last line of each."""
    found: dict[tuple[int, int], list[str]] = {}
    for node in ast.walk(parse_python(text)):
        if not isinstance(node, _Documented):
            continue
        value = _docstring(node)
        if value is None:
            continue
        span = value.lineno, value.end_lineno or value.lineno
        if any(span[0] <= number <= span[1] for number in numbers):
            found[span] = _broken_docstring(lines[span[0] - 1 : span[1]], width)
    return found


def _broken_docstring(lines: list[str], width: int) -> list[str]:
    indent = " " * (len(lines[0]) - len(lines[0].lstrip()))
    quotes = lines[0].rstrip()[-3:] if len(lines) == 1 else lines[-1].rstrip()[-3:]
    if len(lines) == 1:
        # On several lines, the closing quotes have a line of their own.
        lines = [lines[0].rstrip().removesuffix(quotes), f"{indent}{quotes}"]
    new: list[str] = []
    for line in lines:
        if len(line) <= width:
            new.append(line)
            continue
        closes = line is lines[-1]
        own = " " * (len(line) - len(line.lstrip()))
        new += _wrapped((line.rstrip().removesuffix(quotes) if closes else line).strip(), own, own, width)
        if closes:
            new.append(f"{indent}{quotes}")
    return new


def _wrapped(text: str, first: str, rest: str, width: int) -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )


@dataclass(frozen=True, slots=True)
class _Literal:
    """A string literal on one line; `bare` when parts may stand there without parentheses."""

    start: int
    end: int
    match: re.Match[str]
    bare: bool


def _longest_literal(tokens: list[tokenize.TokenInfo], number: int) -> _Literal | None:
    depth, found = 0, list[_Literal]()
    for at, token in enumerate(tokens):
        depth += (token.string in _OPENING) - (token.string in _CLOSING)
        if token.type != tokenize.STRING or token.start[0] != number or token.end[0] != number:
            continue
        match = _LITERAL.match(token.string)
        if match is None or len(match["inside"]) <= _LEAST_TEXT or token.string[-3:] in ('"""', "'''"):
            continue
        bare = _may_stand_bare(tokens, at, depth)
        found.append(_Literal(token.start[1], token.end[1], match, bare))
    return max(found, key=lambda literal: literal.end - literal.start, default=None)


def _may_stand_bare(tokens: list[tokenize.TokenInfo], at: int, depth: int) -> bool:
    """Whether adjacent literals are one value there: inside brackets, with nothing that binds tighter beside them."""
    layout = (tokenize.NL, tokenize.COMMENT)
    before = next((one for one in reversed(tokens[:at]) if one.type not in layout), None)
    after = next((one for one in tokens[at + 1 :] if one.type not in layout), None)
    if tokenize.STRING in {one.type for one in (before, after) if one}:
        return True
    opens = before is not None and before.string in {*_OPENING, ",", "=", ":"}
    return depth > 0 and opens and after is not None and after.string in {*_CLOSING, ","}


def _with_parts(line: str, literal: _Literal, width: int) -> str:
    match = literal.match
    indent = len(line) - len(line.lstrip())
    room = max(_LEAST_TEXT, width - indent - _NESTING - len(match["prefix"]) - 2)
    quote, prefix = match["quote"], match["prefix"]
    parts = " ".join(f"{prefix}{quote}{part}{quote}" for part in _split(match["inside"], room))
    return line[: literal.start] + (parts if literal.bare else f"({parts})") + line[literal.end :]


def _split(inside: str, room: int) -> list[str]:
    """Pieces of at most `room` characters, after a space where one is in the second half."""
    units: list[str] = _UNIT.findall(inside)
    pieces: list[str] = []
    while units:
        length, fits, space = 0, 0, 0
        while fits < len(units) and length + len(units[fits]) <= room:
            length += len(units[fits])
            fits += 1
            if units[fits - 1] == " " and length > room // 2:
                space = fits
        cut = fits if fits == len(units) else space or max(fits, 1)
        pieces.append("".join(units[:cut]))
        units = units[cut:]
    return pieces
