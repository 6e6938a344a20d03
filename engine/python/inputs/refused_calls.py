"""Reads the examples that show a refusal without a traceback: `with raises(ValueError): f(-1)`, `try: f(-1)`."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ....utils.python_names import dotted_name, last_name

_RAISING = frozenset({"raises", "assertRaises", "assertRaisesRegex", "assert_raises"})
_TOO_BROAD = frozenset({"Exception", "BaseException"})


@dataclass(frozen=True, slots=True)
class RefusedCall:
    """A call that an example shows to raise.

    Attributes:
        body: the statements that prepare it, then the call as a statement.
        want: what doctest would show of it: a traceback that names the exception only.
    """

    body: tuple[ast.stmt, ...]
    want: str


def refused_call(node: ast.stmt) -> RefusedCall | None:
    """Reads the call that a `with raises(...)` block, or a `try` with one named exception, shows to raise.

    None where several exceptions are meant, or where the block does more after the call.
    """
    if isinstance(node, ast.With) and len(node.items) == 1:
        manager = node.items[0].context_expr
        is_raising = isinstance(manager, ast.Call) and last_name(manager.func) in _RAISING and manager.args
        body, expected = (node.body, manager.args[0]) if is_raising and isinstance(manager, ast.Call) else ([], None)
    elif isinstance(node, ast.Try) and len(node.handlers) == 1 and not node.orelse and not node.finalbody:
        body, expected = _without_failure(node.body), node.handlers[0].type
    else:
        return None
    name = dotted_name(expected) if expected is not None else ""
    if not name or name in _TOO_BROAD or not body:
        return None
    if not isinstance(body[-1], ast.Expr) or not all(isinstance(one, ast.Assign | ast.Expr) for one in body):
        return None
    return RefusedCall(tuple(body), f"Traceback (most recent call last):\n{name}\n")


def _without_failure(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements without a last one that fails where nothing was raised: `raise AssertionError`, `assert False`."""
    last = body[-1]
    fails = isinstance(last, ast.Raise) or (isinstance(last, ast.Assert) and isinstance(last.test, ast.Constant))
    return body[:-1] if fails else body
