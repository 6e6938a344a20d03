"""Writes calls that change an object as the statements that people write: `x += y`, `x.name = y`."""

from __future__ import annotations

import ast
from keyword import iskeyword

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


def plain_change(call: ast.Call) -> ast.stmt | None:
    """Returns the statement for a call of an operator in place or of `setattr`; None for any other call."""
    return in_place_statement(call) or _attribute_assignment(call)


def _attribute_assignment(call: ast.Call) -> ast.Assign | None:
    """Returns `x.name = y` for `setattr(x, "name", y)`; None for any other call."""
    if not isinstance(call.func, ast.Name) or call.func.id != "setattr" or call.keywords or len(call.args) != 3:
        return None
    receiver, name, value = call.args
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str) or not name.value.isidentifier():
        return None
    if iskeyword(name.value) or isinstance(value, ast.Starred) or not isinstance(receiver, ast.Name | ast.Attribute):
        return None
    return ast.Assign([ast.Attribute(receiver, name.value, ast.Store())], value, lineno=1)
