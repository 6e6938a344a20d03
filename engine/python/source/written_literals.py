"""Tells the texts that code only writes from those that it reads: templates, patterns and messages are no arguments.

What code compares with, splits at or searches for says what its input looks like. A template that is filled in, a
regular expression, the message of an exception, and the pieces that a result is put together from say nothing of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ....utils.python_names import dotted_name

_PATTERN_FUNCTIONS = frozenset("compile match fullmatch search split sub subn findall finditer".split())
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
        for node in ast.walk(statement):
            found.update(one for one in _written_by(node) if isinstance(one.value, str))
            if patterns and isinstance(node, ast.Call):
                found.update(one for one in _patterns_of(node) if isinstance(one.value, str))
    return frozenset(found)


def _written_by(node: ast.AST) -> Iterator[ast.Constant]:
    if isinstance(node, ast.Raise) and node.exc is not None:
        yield from _texts(node.exc)
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
