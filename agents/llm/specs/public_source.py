"""Selects what a model reads of a module: the public source whole, in several parts where it is long."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ....utils.python_source import parse_or_none, source_lines
from ..source_view import STEP, number_lines

MOST_LINES = 900
MOST_CHARACTERS = 26_000
"""Of one part, with line numbers: about 7,500 tokens of code."""

_MOST_SETTING_LINES = 40
_NUMBER_WIDTH = 6
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class SourcePart:
    """A part of a module that is read at once.

    Attributes:
        text: its numbered lines.
        subjects: what it is about; None for the whole module.
    """

    text: str
    subjects: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class _Item:
    name: str
    lines: frozenset[int]


def source_parts(source: str, symbols: Sequence[str] | None = None) -> list[SourcePart]:
    """Split a module into parts that each fit a prompt; at least one.

    Public functions and classes come in their order and whole (a class beyond the limit by its members), private ones
    behind them as far as there is room in the last part.

    Args:
        symbols: only these are read, with the signatures around them; None for all.
    """
    lines = source_lines(source)
    everything = set(range(1, len(lines) + 1))
    tree = parse_or_none(source)
    if tree is None or (symbols is None and _fits(everything, lines)):
        shown = everything if _fits(everything, lines) else set(range(1, MOST_LINES + 1))
        return [SourcePart(number_lines(lines, shown, _citable(tree, lines)), None)]
    setting = set(sorted(_setting(tree.body))[:_MOST_SETTING_LINES])
    public = list(_items(tree.body, lines, symbols))
    packed = list(_packed(public, setting, lines)) or [((), set[int]())]
    names, last = packed[-1]
    mentioned = _names_in(lines, last)
    private = [one for one in _private(tree.body) if symbols is None or one.name in mentioned]
    for item in sorted(private, key=lambda one: one.name not in mentioned):
        if _fits(setting | last | item.lines, lines):
            last = last | item.lines
    packed[-1] = (names, last)
    citable = _citable(tree, lines)
    return [SourcePart(number_lines(lines, setting | shown, citable), subjects) for subjects, shown in packed]


def _citable(tree: ast.Module | None, lines: Sequence[str]) -> set[int] | None:
    """The lines that say what the code should do: docstrings, comments and messages; None for all."""
    if tree is None:
        return None
    found = {number for number, line in enumerate(lines, 1) if line.lstrip().startswith("#")}
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            found |= {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    # A comment behind code is near enough to a number that stands one or two lines above.
    for number, line in enumerate(lines, 1):
        if "#" in line and not any(one in found or one % STEP == 0 for one in (number - 1, number - 2)):
            found.add(number)
    return found


def fitting_part(source: str, symbols: Sequence[str] | None) -> SourcePart:
    """The one part that shows as many symbols as there is room for, the first ones before the others.

    Args:
        symbols: the most important first; None for all, in their order.
    """
    shown = list(symbols or ())
    parts = source_parts(source, symbols)
    while len(parts) > 1 and len(shown) > 1:
        shown = shown[: max(1, len(shown) * 2 // 3)]
        parts = source_parts(source, shown)
    return parts[0]


def is_about(subject: str, shown: Sequence[str] | None) -> bool:
    """Whether a subject is among what a part is about, as itself, a member or an owner of members; None for all."""
    return shown is None or any(
        subject == one or subject.startswith(f"{one}.") or one.startswith(f"{subject}.") for one in shown
    )


def _packed(
    items: Iterable[_Item], setting: set[int], lines: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], set[int]]]:
    """Fill parts with items, in order."""
    names: list[str] = []
    shown: set[int] = set()
    for item in items:
        if names and not _fits(setting | shown | item.lines, lines):
            yield tuple(dict.fromkeys(names)), shown
            names, shown = [], set()
        names.append(item.name)
        shown |= item.lines
    if names:
        yield tuple(dict.fromkeys(names)), shown


def _items(body: Sequence[ast.stmt], lines: Sequence[str], symbols: Sequence[str] | None) -> Iterator[_Item]:
    for node in _definitions(body):
        if not _is_wanted(node.name, symbols):
            continue
        whole = _lines_of(node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or (
            _fits(whole, lines) and (symbols is None or node.name in symbols)
        ):
            yield _Item(node.name, frozenset(whole))
            continue
        members = [inner for inner in node.body if isinstance(inner, _Definition)]
        head = whole - {line for inner in members for line in _lines_of(inner)}
        for member in members:
            name = f"{node.name}.{member.name}"
            if symbols is None or node.name in symbols or name in symbols or member.name == "__init__":
                yield _Item(name, frozenset(head | _lines_of(member)))


def _is_wanted(name: str, symbols: Sequence[str] | None) -> bool:
    if symbols is None:
        return not name.startswith("_")
    return any(symbol == name or symbol.startswith(f"{name}.") for symbol in symbols)


def _private(body: Sequence[ast.stmt]) -> list[_Item]:
    return [_Item(node.name, frozenset(_lines_of(node))) for node in _definitions(body) if node.name.startswith("_")]


def _definitions(body: Iterable[ast.AST]) -> Iterator[_Definition]:
    """Functions and classes of a module, also those below a condition or within a `try`."""
    for node in body:
        if isinstance(node, _Definition):
            yield node
        elif isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from _definitions(ast.iter_child_nodes(node))


def _setting(body: Sequence[ast.stmt]) -> Iterator[int]:
    """Lines of the module's docstring, imports and constants."""
    defined = {line for node in _definitions(body) for line in _lines_of(node)}
    for node in body:
        if not isinstance(node, _Definition):
            yield from {*range(node.lineno, (node.end_lineno or node.lineno) + 1)} - defined


def _lines_of(node: _Definition) -> set[int]:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return set(range(first, (node.end_lineno or node.lineno) + 1))


def _names_in(lines: Sequence[str], shown: Iterable[int]) -> set[str]:
    tokens = set[str]()
    for number in shown:
        for word in lines[number - 1].replace("(", " ").replace(".", " ").replace(")", " ").split():
            tokens.add(word.strip(",:[]{}=*'\""))
    return tokens


def _fits(shown: Iterable[int], lines: Sequence[str]) -> bool:
    numbers = list(shown)
    size = sum(len(lines[number - 1]) + _NUMBER_WIDTH for number in numbers if number <= len(lines))
    return len(numbers) <= MOST_LINES and size <= MOST_CHARACTERS
