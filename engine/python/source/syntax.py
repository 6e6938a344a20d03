"""The data that reading a body fills, and the small questions it asks of expressions."""

from __future__ import annotations

import ast

Function = ast.FunctionDef | ast.AsyncFunctionDef


def is_literal(node: ast.expr) -> bool:
    """Whether this is a constant, or one with a sign."""
    return isinstance(node, ast.Constant) or (isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant))
