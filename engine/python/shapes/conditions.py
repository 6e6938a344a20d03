"""What comparisons, guards and assertions say of values."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from .shape import Shape, contradict, unify

_MAXIMUM_TOKENS = 14
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_SIGNS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def compared(left: Shape, right: Shape, first: ast.expr, second: ast.expr, operator: ast.cmpop) -> None:
    """`first < second`."""
    sign = _SIGNS[type(operator)]
    for shape, other, one in ((left, second, sign), (right, first, _MIRRORED[sign])):
        if isinstance(other, ast.Constant | ast.UnaryOp):
            shape.root().compared[(one, ast.unparse(other))] = None
    if sign not in ("==", "!="):
        left.mark("ordered")
        right.mark("ordered")
    if is_none(first) or is_none(second) or contradict(left, right):
        return
    if isinstance(first, ast.Constant) or isinstance(second, ast.Constant):
        constant = first if isinstance(first, ast.Constant) else second
        # A comparison with an empty text or with a boolean says little.
        if isinstance(constant, ast.Constant) and (constant.value == "" or isinstance(constant.value, bool)):
            return
    unify(left, right)


def contained(item: Shape, container: Shape, node: ast.expr) -> None:
    """`item in container`."""
    if isinstance(node, ast.Constant) or "text" in container.root().kinds:
        item.vote("text")
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) <= _MAXIMUM_TOKENS:
            item.mark("option").root().tokens.update(dict.fromkeys(repr(letter) for letter in node.value))
        return
    container.mark("searched")
    if isinstance(node, ast.Tuple):
        constants = [one.value for one in node.elts if isinstance(one, ast.Constant)]
        if len(constants) == len(node.elts) and all(isinstance(text, str) for text in constants):
            item.vote("text").root().tokens.update(dict.fromkeys(map(repr, constants)))
    inner = container.get_index() if "dict" in container.root().kinds else container.get_each()
    if not contradict(inner, item):
        # Being tested for membership is no proof of being a member.
        tokens = dict(item.root().tokens)
        merged = unify(inner, item)
        if not tokens and isinstance(node, ast.Name | ast.Dict | ast.List | ast.Tuple | ast.Set):
            merged.mark("option")


def guard(node: ast.If | ast.While, names: Mapping[str, Shape]) -> None:
    """Reads what `if n < 0: raise` says: the opposite holds for what is accepted.

    Where both branches do something with a value, some are of the class that it is asked for, and some are not.
    """
    tested = tested_class(node.test) if node.orelse else None
    if tested is not None and tested[0] in names:
        names[tested[0]].mark(f"tested {tested[1]}")
    if isinstance(node, ast.If) and node.body and isinstance(node.body[0], ast.Raise):
        _condition(node.test, names, opposite=True)


def tested_class(test: ast.expr) -> tuple[str, str] | None:
    """The variable and the class of `isinstance(variable, Class)`; None for any other test."""
    if not isinstance(test, ast.Call) or not isinstance(test.func, ast.Name) or test.func.id != "isinstance":
        return None
    names = [one.id for one in test.args if isinstance(one, ast.Name)]
    return (names[0], names[1]) if len(names) == len(test.args) == 2 else None


def assertion(node: ast.Assert, names: Mapping[str, Shape]) -> None:
    """Reads what `assert n > 0` says."""
    _condition(node.test, names, opposite=False)


def _condition(test: ast.expr, names: Mapping[str, Shape], *, opposite: bool) -> None:
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) == opposite else [test]
    for part in parts:
        if not isinstance(part, ast.Compare) or len(part.ops) != 1 or type(part.ops[0]) not in _SIGNS:
            continue
        sign = _SIGNS[type(part.ops[0])]
        right = part.comparators[0]
        if isinstance(part.left, ast.Name) and part.left.id in names and isinstance(right, ast.Constant | ast.UnaryOp):
            holds = _OPPOSITE[sign] if opposite else sign
            names[part.left.id].mark(f"holds {holds} {ast.unparse(right)}")


def is_none(node: ast.expr) -> bool:
    """Whether an expression is the constant None."""
    return isinstance(node, ast.Constant) and node.value is None
