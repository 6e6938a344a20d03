"""Rewrites calls as the syntax they stand for, `x[1] = 2` or `x[1:3]`, without changing their meaning."""

from __future__ import annotations

import ast

from ....utils.python_source import parse_expression, parse_python

_CONVERSIONS = frozenset({"float", "int", "str", "bytes", "complex"})
_SLICE_ARGUMENTS = 3


def plain_statement(source: str) -> str:
    """Rewrites a statement; returns the text as it was when nothing changes. Raises SyntaxError."""
    tree = parse_python(source.strip())
    writer = _Writer()
    for at, node in enumerate(tree.body):
        written = (_as_statement(node) if isinstance(node, ast.Expr) else None) or node
        writer.changed = writer.changed or written is not node
        tree.body[at] = writer.visit(written)
    return ast.unparse(ast.fix_missing_locations(tree)) if writer.changed else source


def plain_expression(source: str) -> str:
    """Rewrites an expression; returns the text as it was when nothing changes. Raises SyntaxError."""
    writer = _Writer()
    node = writer.visit(parse_expression(source))
    return ast.unparse(ast.fix_missing_locations(node)) if writer.changed else source


def _as_statement(node: ast.Expr) -> ast.stmt | None:
    """`d.__setitem__(k, v)` as an assignment, `d.__delitem__(k)` as a deletion."""
    call = node.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.keywords:
        return None
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    receiver, name = call.func.value, call.func.attr
    if isinstance(receiver, ast.Call) and getattr(receiver.func, "id", "") == "super":
        return None  # `super()` is no object that can be subscripted
    if name == "__setitem__" and len(call.args) == 2:
        return ast.Assign([ast.Subscript(receiver, call.args[0], ast.Store())], call.args[1], lineno=1)
    if name == "__delitem__" and len(call.args) == 1:
        return ast.Delete([ast.Subscript(receiver, call.args[0], ast.Del())])
    return None


class _Writer(ast.NodeTransformer):
    def __init__(self) -> None:
        self.changed = False

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        key = node.slice
        if isinstance(key, ast.Tuple):
            key.elts = [self._key(element) for element in key.elts]
        else:
            node.slice = self._key(key)
        return node

    def _key(self, node: ast.expr) -> ast.expr:
        """`slice(1, 3)` as `1:3`."""
        if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "slice" or node.keywords:
            return node
        given = node.args
        if not 0 < len(given) <= _SLICE_ARGUMENTS or any(isinstance(one, ast.Starred) for one in given):
            return node
        self.changed = True
        first, last, step = [None, given[0], None] if len(given) == 1 else [*given, None][:_SLICE_ARGUMENTS]
        return ast.Slice(*(None if is_none(one) else one for one in (first, last, step)))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`float(float('inf'))` as `float('inf')`, `float('NAN')` as `float('nan')`."""
        self.generic_visit(node)
        name = getattr(node.func, "id", "")
        inner = node.args[0] if len(node.args) == 1 and not node.keywords else None
        if name in _CONVERSIONS and isinstance(inner, ast.Call) and getattr(inner.func, "id", "") == name:
            self.changed = True
            return inner
        text = inner.value if name == "float" and isinstance(inner, ast.Constant) else None
        if isinstance(text, str) and text != text.lower() and text.lower().strip("+-") in ("nan", "inf", "infinity"):
            self.changed = True
            node.args = [ast.Constant(text.lower())]
        return node


def is_none(node: ast.AST | None) -> bool:
    """Whether a node is missing or the constant None."""
    return node is None or (isinstance(node, ast.Constant) and node.value is None)
