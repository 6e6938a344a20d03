"""The special methods that operators call."""

from __future__ import annotations

import ast

OPERATOR_METHODS: dict[type[ast.AST], str] = {
    ast.Add: "__add__",
    ast.Sub: "__sub__",
    ast.Mult: "__mul__",
    ast.MatMult: "__matmul__",
    ast.Div: "__truediv__",
    ast.FloorDiv: "__floordiv__",
    ast.Mod: "__mod__",
    ast.Pow: "__pow__",
    ast.LShift: "__lshift__",
    ast.RShift: "__rshift__",
    ast.BitOr: "__or__",
    ast.BitAnd: "__and__",
    ast.BitXor: "__xor__",
    ast.Eq: "__eq__",
    ast.Lt: "__lt__",
    ast.LtE: "__le__",
    ast.Gt: "__gt__",
    ast.GtE: "__ge__",
    ast.In: "__contains__",
    ast.NotIn: "__contains__",
    ast.Invert: "__invert__",
    ast.USub: "__neg__",
}


def operation(node: ast.AST | None) -> tuple[str, ast.expr] | None:
    """The special method that an operator calls first, and on what; None for other nodes."""
    if isinstance(node, ast.BinOp):
        sign, receiver = node.op, node.left
    elif isinstance(node, ast.UnaryOp):
        sign, receiver = node.op, node.operand
    elif isinstance(node, ast.Compare):
        sign = node.ops[0]
        receiver = node.comparators[0] if isinstance(sign, ast.In | ast.NotIn) else node.left
    else:
        return None
    name = OPERATOR_METHODS.get(type(sign))
    return (name, receiver) if name is not None else None
