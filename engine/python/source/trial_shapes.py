"""The shape of a trial: its source without literal values and without names that it chose for its variables."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache

from ....utils.python_names import assigned_variable, names_of
from ....utils.python_source import literal_or, parse_expression, parse_python, walk

_HOLE = "__hole__"
_NO_LITERAL = object()


@lru_cache(maxsize=8192)
def shape_of(arrange: tuple[str, ...], act: str, mode: str) -> tuple[str, tuple[str, ...]]:
    """The shape, and the values that were taken out of it, in order, as source text.

    A variable that only holds a text or a number is no part of the shape: `url = "a"; parse(url)` is `parse("a")`.

    Raises:
        SyntaxError: a statement or the act is not Python.
    """
    statements = [statement for text in arrange for statement in parse_python(text.strip()).body]
    expression = parse_expression(act)
    nodes: list[ast.AST] = [*statements, expression]
    plain, renamed = _variables(statements, expression)
    holes = _Holes(plain, renamed)
    texts = [ast.unparse(holes.visit(node)) for node in nodes if not _binds(node, plain)]
    return "\n".join((mode, *texts)), tuple(holes.values)


def _variables(statements: Sequence[ast.stmt], act: ast.expr) -> tuple[dict[str, ast.expr], dict[str, str]]:
    """Variables that are assigned a text or a number once, with that; others, with names by their order."""
    plain: dict[str, ast.expr] = {}
    renamed: dict[str, str] = {}
    nodes = [node for one in statements for node in walk(one) if isinstance(node, ast.Name)]
    stored = [node.id for node in nodes if isinstance(node.ctx, ast.Store)]
    formatted = {name for one in (*statements, act) for node in walk(one) for name in _formatted_names(node)}
    for statement in statements:
        bound = assigned_variable(statement)
        if bound is None or stored.count(bound[0]) > 1:
            continue
        holds_value = isinstance(bound[1], ast.Constant | ast.UnaryOp) and not names_of(bound[1])
        # What an f-string reads is no hole in it: the statement stays, and its value is taken out there.
        if holds_value and bound[0] not in formatted:
            plain[bound[0]] = bound[1]
        else:
            renamed[bound[0]] = f"__variable_{len(renamed)}__"
    return plain, renamed


def _formatted_names(node: ast.AST) -> set[str]:
    return set(names_of(node)) if isinstance(node, ast.JoinedStr) else set()


def _binds(node: ast.AST, names: dict[str, ast.expr]) -> bool:
    bound = assigned_variable(node) if isinstance(node, ast.stmt) else None
    return bound is not None and bound[0] in names


class _Holes(ast.NodeTransformer):
    """Replaces literal values by holes and collects them; replaces names of variables."""

    def __init__(self, plain: dict[str, ast.expr], renamed: dict[str, str]) -> None:
        self.values: list[str] = []
        self._plain = plain
        self._renamed = renamed

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.JoinedStr):
            for inner in walk(node):  # its text parts are constants that only it may hold
                if isinstance(inner, ast.Name):
                    inner.id = self._renamed.get(inner.id, inner.id)
            return node
        if isinstance(node, ast.Name):
            node = self._plain.get(node.id, ast.Name(self._renamed.get(node.id, node.id), node.ctx))
        literal = isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.UnaryOp)
        if literal and literal_or(node, _NO_LITERAL) is not _NO_LITERAL:
            self.values.append(ast.unparse(node))
            return ast.Name(_HOLE, ast.Load())
        return self.generic_visit(node)
