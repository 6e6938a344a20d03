"""What a test of a value's type says of each branch: `isinstance(other, Interval)`, `callable(key)`.

A parameter that takes values of two kinds is used as one of them in one branch and as the other in the other: unified,
the two would make a kind that no value has.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Sequence
from dataclasses import dataclass

from .conditions import tested_class

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


def narrowing_of(node: ast.If, rest: Sequence[ast.stmt], classes: Container[str]) -> Narrowing | None:
    """What a test says of a name; None for other tests, and for functions that nothing else may take the place of.

    Args:
        rest: the statements behind `node` in its block.
        classes: names of the module's classes.
    """
    test = node.test
    negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    asked = _asked(test.operand if isinstance(test, ast.UnaryOp) and negated else test, classes)
    if asked is None:
        return None
    name, owner = asked
    first, second = (node.orelse, node.body) if negated else (node.body, node.orelse)
    follows = _leaves(node.body) and not node.orelse
    if follows:
        first, second = (list(rest), node.body) if negated else (node.body, list(rest))
    others = _uses(second, name)
    if not owner and not others:
        return None
    refused_is_main = _assigns(first, name) or (others > 0 and others >= _uses(first, name))
    return Narrowing(name, owner, first, second, follows, refused_is_main)


def _asked(test: ast.expr, classes: Container[str]) -> tuple[str, str] | None:
    """The name that a test is about and the class that it asks for."""
    found = tested_class(test)
    if found is not None:
        return found if found[1] in classes else None
    called = isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "callable"
    value = test.args[0] if isinstance(test, ast.Call) and called and test.args else None
    return (value.id, "") if isinstance(value, ast.Name) else None


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
