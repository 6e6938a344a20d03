"""Questions to ask the other objects of a flow once it has acted: public queries, with the values it used (T-20)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from ...utils.python_source import parse_expression, parse_python
from ..python.model import CallableFacts, ClassFacts, ModuleFacts, Trial
from ..python.propose import ProposalContext
from ..python.receivers import is_change

_MOST_PER_OBJECT = 6
_MOST = 12
_LONGEST = 90


def with_looks(trial: Trial, context: ProposalContext) -> Trial:
    """The trial with questions about every object of a project's class that it arranges."""
    objects = dict(_objects(trial, context))
    if not objects or trial.mode in ("await", "aiterate", "aenter"):
        return trial
    given = _given(trial, objects, context)
    looks = [
        look for variable, known in objects.items() for look in _questions(variable, known[1], given)[:_MOST_PER_OBJECT]
    ]
    return replace(trial, looks=tuple(dict.fromkeys(looks))[:_MOST])


def _objects(trial: Trial, context: ProposalContext) -> Iterator[tuple[str, tuple[ModuleFacts, ClassFacts]]]:
    """Arranged variables that hold an object of a project's class."""
    for statement in trial.arrange:
        try:
            body = parse_python(statement).body
        except SyntaxError:
            continue
        for node in body:
            if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
                continue
            known = _class_of(node.value, context)
            if known is not None:
                yield node.targets[0].id, known


def _class_of(node: ast.expr, context: ProposalContext) -> tuple[ModuleFacts, ClassFacts] | None:
    if not isinstance(node, ast.Call):
        return None
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        name = node.func.value.id  # a factory: `Cart.from_rows(…)`
    return (context.index.class_in(name, context.facts) or context.index.find_class(name)) if name else None


def _given(
    trial: Trial, objects: dict[str, tuple[ModuleFacts, ClassFacts]], context: ProposalContext
) -> dict[str, list[str]]:
    """Values by the names of the parameters they were given for, anywhere in the flow."""
    found: dict[str, list[str]] = {}
    for source in (*trial.arrange, trial.act):
        try:
            tree = parse_python(source)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            called = _callee(node, objects, context)
            names = [one.name for one in called.parameters if one.name not in ("self", "cls")] if called else []
            pairs = [*zip(names, node.args, strict=False), *((one.arg, one.value) for one in node.keywords if one.arg)]
            for name, value in pairs:
                if isinstance(value, ast.Constant | ast.UnaryOp):
                    found.setdefault(name, []).append(ast.unparse(value))
    return found


def _callee(
    node: ast.Call, objects: dict[str, tuple[ModuleFacts, ClassFacts]], context: ProposalContext
) -> CallableFacts | None:
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        known = objects.get(node.func.value.id)
        members = known[1].members if known else ()
        return next((one for one in members if one.name == node.func.attr), None)
    if isinstance(node.func, ast.Name):
        known = context.index.class_in(node.func.id, context.facts) or context.index.find_class(node.func.id)
        if known is not None:
            return context.index.constructor(*known)
        return next((one for one in context.facts.functions if one.name == node.func.id), None)
    return None


def _questions(variable: str, owner: ClassFacts, given: dict[str, list[str]]) -> list[str]:
    """Calls that ask and change nothing; those with arguments use values that the flow used before."""
    found: list[str] = []
    for member in owner.members:
        if not member.public or member.is_async or member.is_context_manager or is_change(member):
            continue
        if member.kind != "method" or member.name.startswith("__") or _closes(member.name):
            continue
        arguments: list[str] = []
        for one in member.parameters:
            if not one.required or one.name in ("self", "cls"):
                continue
            if one.name not in given:
                break
            arguments.append(given[one.name][0])
        else:
            call = f"{variable}.{member.name}({', '.join(arguments)})"
            look = f"list({call})" if member.is_generator else call
            if len(look) <= _LONGEST and _parses(look):
                found.append(look)
    if any(one.name == "__len__" for one in owner.members):
        found.append(f"len({variable})")
    return found


def _closes(name: str) -> bool:
    return name.startswith(("close", "shutdown", "stop", "commit", "rollback", "run", "start", "send", "delete"))


def _parses(source: str) -> bool:
    try:
        parse_expression(source)
    except SyntaxError:
        return False
    return True
