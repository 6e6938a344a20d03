"""Writes calls of `__iadd__` and its like as the statements that people write: `x += y`."""

from __future__ import annotations

import ast

_OPERATORS: dict[str, type[ast.operator]] = {
    "__iadd__": ast.Add,
    "__isub__": ast.Sub,
    "__imul__": ast.Mult,
    "__imatmul__": ast.MatMult,
    "__itruediv__": ast.Div,
    "__ifloordiv__": ast.FloorDiv,
    "__imod__": ast.Mod,
    "__ipow__": ast.Pow,
    "__ilshift__": ast.LShift,
    "__irshift__": ast.RShift,
    "__iand__": ast.BitAnd,
    "__ior__": ast.BitOr,
    "__ixor__": ast.BitXor,
}


def in_place_call(node: ast.expr) -> ast.Call | None:
    """Returns the call of an in-place operator's method that an expression is; None for any other."""
    is_one = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _OPERATORS
    return node if is_one and isinstance(node, ast.Call) else None


def in_place_statement(call: ast.Call) -> ast.AugAssign | None:
    """Returns `x += y` for `x.__iadd__(y)`; None where x is no variable, or not one operand is passed."""
    function = call.func
    if (
        not isinstance(function, ast.Attribute)
        or function.attr not in _OPERATORS
        or call.keywords
        or len(call.args) != 1
    ):
        return None
    if not isinstance(function.value, ast.Name) or isinstance(call.args[0], ast.Starred):
        return None
    target = ast.Name(function.value.id, ast.Store())
    return ast.AugAssign(target, _OPERATORS[function.attr](), call.args[0], lineno=1)
