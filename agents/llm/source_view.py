"""Selects what a model is shown of a file: numbered lines of the symbols, with the signatures around them."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Sequence

from ...utils.python_source import parse_or_none, source_lines

_LONGEST_LINE = 200
_MOST_LINES = 800
_MOST_SETTING_LINES = 30
STEP = 5
"""Every so many lines have their number."""


def relevant_lines(source: str, symbols: Sequence[str] | None) -> str:
    """Return the numbered lines of some symbols (None: all), imports and constants, and the other signatures.

    A file of up to 60 lines is shown completely.
    """
    lines = source_lines(source)
    if (symbols is None and len(lines) <= _MOST_LINES) or len(lines) <= 60:
        return number_lines(lines, set(range(1, len(lines) + 1)))
    tree = parse_or_none(source)
    if tree is None:
        return number_lines(lines, set(range(1, min(len(lines), _MOST_LINES) + 1)))
    wanted: set[int] = set()
    setting: list[int] = []
    _collect(tree.body, "", None if symbols is None else tuple(symbols), wanted, setting)
    shown = sorted(wanted)[:_MOST_LINES]
    return number_lines(lines, {*shown, *setting[:_MOST_SETTING_LINES]} | _signatures(tree.body))


def number_lines(lines: Sequence[str], shown: Iterable[int], numbered: Container[int] | None = None) -> str:
    """Render lines with their numbers, from 1; `…` replaces lines that are left out.

    Args:
        numbered: lines that get their number, besides every fifth and those that begin anew; None for all.
    """
    out: list[str] = []
    last = 0
    for number in sorted(number for number in set(shown) if 1 <= number <= len(lines)):
        begins = number != last + 1
        if begins:
            out.append("…")
        line = lines[number - 1][:_LONGEST_LINE].rstrip()
        is_numbered = numbered is None or (line and (begins or number % STEP == 0 or number in numbered))
        # A number costs a model one token of two in a line of code, and most lines are never cited.
        out.append(f"{number if is_numbered else '':>4} {line}".rstrip())
        last = number
    if last < len(lines):
        out.append("…")
    return "\n".join(out)


def _collect(
    body: Sequence[ast.stmt], owner: str, symbols: tuple[str, ...] | None, wanted: set[int], setting: list[int]
) -> None:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{owner}{node.name}"
            if symbols is None or any(name == symbol or name.startswith(f"{symbol}.") for symbol in symbols):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                wanted |= set(range(first, (node.end_lineno or node.lineno) + 1))
            elif isinstance(node, ast.ClassDef) and any(symbol.startswith(f"{name}.") for symbol in symbols):
                wanted.add(node.lineno)
                _collect(node.body, f"{name}.", (*symbols, f"{name}.__init__"), wanted, [])
        elif not owner:
            setting += range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _signatures(body: Sequence[ast.stmt]) -> set[int]:
    """Numbers of the first lines of all definitions."""
    found: set[int] = set()
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found |= set(range(node.lineno, max(node.lineno + 1, min(node.body[0].lineno, node.lineno + 6))))
            if isinstance(node, ast.ClassDef):
                found |= _signatures(node.body)
    return found
