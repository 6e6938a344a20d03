"""Finds the calls whose result the rest of an expression only shows: `f(x)` of `repr(f(x))` and of `f(x).to_text()`,
and the ones that are the same call."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....utils.python_names import last_name
from ....utils.python_source import expression_or_none, shared_expression
from ..model.model import CallableFacts

COLLECTING = frozenset("list tuple set sorted".split())
_RECEIVERS = ("self", "cls")
_SHOWING = COLLECTING | frozenset("repr str dict bytes".split())


def shown_calls(node: ast.expr | None) -> Iterator[ast.Call]:
    """Generates the call that an expression is, and the calls whose result it only shows, outer before inner."""
    while isinstance(node, ast.Call):
        yield node
        if node.keywords:
            return
        if isinstance(node.func, ast.Name) and node.func.id in _SHOWING and len(node.args) == 1:
            node = node.args[0]
        elif isinstance(node.func, ast.Attribute) and not node.args:
            node = node.func.value
        else:
            return


def represented(node: ast.expr | None) -> ast.expr | None:
    """The x of `repr(x)`; None for any other expression."""
    is_one = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "repr"
    return node.args[0] if is_one and isinstance(node, ast.Call) and len(node.args) == 1 else None


def is_same_call(first: str, second: str, subject: CallableFacts | None) -> bool:
    """Whether two expressions are one call, also where only one of them names the arguments.

    Args:
        subject: the function that they call, if it is known: its parameters tell what is passed by position.
    """
    if not first.endswith(")") or not second.endswith(")"):
        return False
    one, other = shared_expression(first), shared_expression(second)
    if not isinstance(one, ast.Call) or not isinstance(other, ast.Call):
        return False
    if ast.dump(one) == ast.dump(other):
        return True
    if subject is None or last_name(one.func) != subject.name or ast.dump(one.func) != ast.dump(other.func):
        return False
    positional = by_position(first, subject)
    return positional is not None and positional == by_position(second, subject)


def spelled_as(act: str, model: str, subject: CallableFacts) -> str | None:
    """The act with what its call passes by keyword and by position as another act does; None where that passes others.

    Args:
        model: an act that calls the same.
    """
    tree = expression_or_none(act)
    call, other = _call_of(tree, subject), _call_of(shared_expression(model), subject)
    if tree is None or call is None or other is None:
        return None
    places = [one.name for one in subject.parameters if one.is_positional and one.name not in _RECEIVERS]
    passed = dict(zip(places, call.args, strict=False)) | {one.arg or "": one.value for one in call.keywords}
    wanted = [*places[: len(other.args)], *(one.arg or "" for one in other.keywords)]
    if len(call.args) > len(places) or sorted(passed) != sorted(wanted):
        return None
    call.args = [passed[name] for name in wanted[: len(other.args)]]
    call.keywords = [ast.keyword(name, passed[name]) for name in wanted[len(other.args) :]]
    return ast.unparse(tree)


def _call_of(tree: ast.expr | None, subject: CallableFacts) -> ast.Call | None:
    """The call of a subject whose result an expression shows; None where it is another, or unpacks what it passes."""
    *_, call = (None, *shown_calls(tree))
    names = {subject.name, subject.owner} if subject.kind == "constructor" else {subject.name}
    if call is None or last_name(call.func) not in names:
        return None
    unpacks = any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords)
    return None if unpacks else call


def by_position(act: str, subject: CallableFacts) -> str | None:
    """The act with what its call passes by keyword in the place of the parameter; None where it is no such call."""
    tree = expression_or_none(act)
    call = _call_of(tree, subject)
    if call is None:
        return None
    given = {one.arg: one for one in call.keywords}
    places = [one for one in subject.parameters if one.is_positional and one.name not in _RECEIVERS]
    for parameter in places[len(call.args) :]:
        keyword = given.pop(parameter.name, None)
        if keyword is None:
            break
        call.args.append(keyword.value)
    call.keywords = sorted(given.values(), key=lambda one: one.arg or "")
    return ast.unparse(tree) if tree is not None else None
