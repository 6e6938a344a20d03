"""Tells the texts that code only writes from those that it reads: templates, patterns and messages are no arguments.

What code compares with, splits at or searches for says what its input looks like. A template that is filled in, a
regular expression, the message of an exception, and the pieces that a result is put together from say nothing of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from ....utils.python_names import dotted_name

_PATTERN_FUNCTIONS = frozenset("compile match fullmatch search split sub subn findall finditer".split())
# Methods that look for their arguments in a text.
_READING = frozenset(
    "startswith endswith removeprefix removesuffix find rfind index rindex count split rsplit partition rpartition "
    "strip lstrip rstrip".split()
)
_SAYING = frozenset("warn warning debug info error exception critical log print".split())
# Methods and functions of which all texts name a choice of theirs: an encoding, a mode, an attribute.
_OPTIONS = frozenset("encode decode strftime strptime open getattr hasattr setattr delattr".split())


def written_literals(statements: Iterable[ast.AST], *, patterns: bool = True) -> frozenset[ast.Constant]:
    """The text constants below some nodes that code writes, matches with or says, and does not read in its input.

    Args:
        patterns: whether regular expressions count; those who write texts that match them leave them out.
    """
    found: set[ast.Constant] = set()
    for statement in statements:
        read = {one for node in ast.walk(statement) for part in _read_by(node) for one in _sums(part)}
        for node in ast.walk(statement):
            if node not in read:
                found.update(one for one in _written_by(node) if isinstance(one.value, str))
            if patterns and isinstance(node, ast.Call):
                found.update(one for one in _patterns_of(node) if isinstance(one.value, str))
    return frozenset(found)


def _written_by(node: ast.AST) -> Iterator[ast.Constant]:
    if isinstance(node, ast.Raise) and node.exc is not None:
        given = [*node.exc.args, *(one.value for one in node.exc.keywords)] if isinstance(node.exc, ast.Call) else []
        yield from (one for argument in given for one in _pieces(argument))
    elif isinstance(node, ast.Return) and node.value is not None:
        yield from _pieces(node.value)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from (*_pieces(node.left), *_pieces(node.right))
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        yield from _pieces(node.left)
    elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        yield from _pieces(node.value)
    elif isinstance(node, ast.JoinedStr):
        yield from (part for part in node.values if isinstance(part, ast.Constant))
    elif isinstance(node, ast.Call):
        yield from _written_by_call(node)


def _read_by(node: ast.AST) -> Sequence[ast.expr]:
    """The parts of a node that it looks for in something: the sides of a comparison, arguments of a reading method."""
    if isinstance(node, ast.Compare):
        return (node.left, *node.comparators)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.args[:1] if node.func.attr == "replace" else node.args if node.func.attr in _READING else ()
    return ()


def _sums(node: ast.expr) -> Iterator[ast.AST]:
    """The sums that a part is, or has as its items."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield node
        yield from (*_sums(node.left), *_sums(node.right))
    elif isinstance(node, ast.Tuple | ast.List | ast.Set):
        yield from (one for item in node.elts for one in _sums(item))


def _written_by_call(node: ast.Call) -> Iterator[ast.Constant]:
    name = dotted_name(node.func)
    last = node.func.attr if isinstance(node.func, ast.Attribute) else name
    if isinstance(node.func, ast.Attribute) and last in ("format", "format_map", "join"):
        yield from _pieces(node.func.value)
    if isinstance(node.func, ast.Attribute) and last == "replace":
        yield from (one for argument in node.args[1:] for one in _pieces(argument))
    elif last in _SAYING or last in _OPTIONS:
        yield from (one for argument in node.args for one in _pieces(argument))


def _patterns_of(node: ast.Call) -> Iterator[ast.Constant]:
    """The constants of a regular expression, and of what is put in the place of its matches."""
    module, _, last = dotted_name(node.func).rpartition(".")
    if module in ("re", "regex") and last in _PATTERN_FUNCTIONS:
        for argument in node.args[: 2 if last in ("sub", "subn") else 1]:
            yield from _texts(argument)


def _pieces(node: ast.expr) -> Iterator[ast.Constant]:
    """The constant that a node is, or those of which a condition chooses one."""
    if isinstance(node, ast.Constant):
        yield node
    elif isinstance(node, ast.IfExp):
        yield from (*_pieces(node.body), *_pieces(node.orelse))


def _texts(node: ast.expr) -> Iterator[ast.Constant]:
    return (one for one in ast.walk(node) if isinstance(one, ast.Constant))
