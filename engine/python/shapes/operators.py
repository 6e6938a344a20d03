"""What operators say of the values that they join."""

from __future__ import annotations

import ast

from .shape import Shape, contradict, unify


def multiplied(left: Shape, right: Shape, node: ast.BinOp) -> Shape:
    """A product of numbers, or a repetition: `[0] * n`, `letter * int(count)`."""
    for one, other in ((left, right), (right, left)):
        if {"list", "text", "tuple"} & set(one.root().kinds):
            other.vote("integer")
            return one
    if isinstance(node.right, ast.Call) or isinstance(node.left, ast.Call):
        return Shape()
    left.mark("number")
    right.mark("number")
    both = {*left.root().kinds, *right.root().kinds}
    return Shape().vote("real" if "real" in both else "integer")


def calculated(left: Shape, right: Shape, node: ast.BinOp) -> Shape:
    """A difference, quotient, remainder, power or combination of bits."""
    whole = ast.FloorDiv | ast.Mod | ast.LShift | ast.RShift | ast.BitAnd | ast.BitOr | ast.BitXor
    for side in (left, right):
        side.mark("number")
        if isinstance(node.op, whole):
            side.vote("integer")
    if isinstance(node.op, ast.Mod) and isinstance(node.right, ast.Constant):
        left.mark(f"modulo {node.right.value}")
    if isinstance(node.op, ast.Sub) and not contradict(left, right):
        return unify(left, right)  # a difference is measured in what its parts are measured in
    if isinstance(node.op, ast.FloorDiv) and isinstance(node.right, ast.Constant):
        # The middle of two positions, as in a binary search.
        return left.mark("halved") if node.right.value == 2 and _of_two(node.left) else left
    return Shape().vote("real" if isinstance(node.op, ast.Div) else "integer")


def _of_two(node: ast.expr) -> bool:
    """Whether an expression adds or subtracts two names."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Add | ast.Sub)
        and isinstance(node.left, ast.Name)
        and isinstance(node.right, ast.Name)
    )
