"""What a test of a value's type says of each branch: `isinstance(other, Interval)`, `callable(key)`.

A parameter that takes values of two kinds is used as one of them in one branch and as the other in the other: unified,
the two would make a kind that no value has.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Sequence
from dataclasses import dataclass

_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)


@dataclass(frozen=True, slots=True)
class Narrowing:
    """A name whose values are of one kind in one branch and of another in the other.

    Attributes:
        name: the variable.
        owner: the class of the module that its values are objects of in `accepted`; "" where they are functions.
        accepted, refused: the statements of both branches; `refused` may include those after the test.
        follows: whether the second branch goes on behind the whole statement, because the first leaves.
        refused_is_main: whether the second is what the parameter is for: it has as much to do with it, or the first
            turns its values into those of the second.
    """

    name: str
    owner: str
    accepted: list[ast.stmt]
    refused: list[ast.stmt]
    follows: bool
    refused_is_main: bool


def narrowing_of(node: ast.If | ast.While, rest: Sequence[ast.stmt], classes: Container[str]) -> Narrowing | None:
    """What a test says of a name; None for other tests, and for functions that nothing else may take the place of.

    Args:
        rest: the statements behind `node` in its block.
        classes: names of the module's classes.
    """
    test = node.test
    negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    asked = _asked(test.operand if isinstance(test, ast.UnaryOp) and negated else test, classes)
    if asked is None or isinstance(node, ast.While):
        return None
    name, owner = asked
    first, second = (node.orelse, node.body) if negated else (node.body, node.orelse)
    follows = _leaves(node.body) and not node.orelse
    if follows:
        first, second = (list(rest), node.body) if negated else (node.body, list(rest))
    if not owner and not _uses(second, name):
        return None
    others = _uses(second, name)
    refused_is_main = _assigns(first, name) or (others > 0 and others >= _uses(first, name))
    return Narrowing(name, owner, first, second, follows, refused_is_main)


def _asked(test: ast.expr, classes: Container[str]) -> tuple[str, str] | None:
    """The name that a test is about and the class that it asks for."""
    if not isinstance(test, ast.Call) or not isinstance(test.func, ast.Name) or not test.args:
        return None
    value = test.args[0]
    if not isinstance(value, ast.Name):
        return None
    if test.func.id == "callable":
        return value.id, ""
    asks = test.func.id == "isinstance" and len(test.args) == 2
    kind = test.args[1] if asks else None
    return (value.id, kind.id) if isinstance(kind, ast.Name) and kind.id in classes else None


def _leaves(body: Sequence[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], _LEAVING)


def _names(body: Sequence[ast.stmt], name: str) -> list[ast.Name]:
    return [
        node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id == name
    ]


def _uses(body: Sequence[ast.stmt], name: str) -> int:
    """How often statements read a name; to say what is wrong with its value is no use of it."""
    kept = [one for one in body if not isinstance(one, ast.Raise)]
    return sum(isinstance(node.ctx, ast.Load) for node in _names(kept, name))


def _assigns(body: Sequence[ast.stmt], name: str) -> bool:
    return any(isinstance(node.ctx, ast.Store) for node in _names(body, name))
