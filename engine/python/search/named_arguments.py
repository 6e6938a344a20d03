"""Binds literal arguments that a call changed to variables, so that a test can assert them afterwards."""

from __future__ import annotations

import ast
import builtins
import keyword
from collections.abc import Iterator
from dataclasses import replace

from ....utils.python_names import assigned_names, last_name
from ....utils.python_source import parse_expression
from ..model.model import CallableFacts, ModuleFacts, Trial
from ..source.titles import positional_names
from ..usage.related import names_in

_PLAIN = {ast.List: "items", ast.Dict: "mapping", ast.Set: "members"}


def name_changed_arguments(trial: Trial, changed: tuple[tuple[int, int], ...], facts: ModuleFacts) -> Trial | None:
    """Returns the trial with literals of its act assigned to variables named after their parameters.

    Args:
        changed: line and column of the literals.

    Returns:
        None if the act has no literal at these positions.
    """
    try:
        act = parse_expression(trial.act)
        taken = {*names_in(trial.act), *assigned_names(trial.arrange), *trial.fixtures}
    except SyntaxError:
        return None
    for statement in trial.imports:
        taken |= set(statement.replace(",", " ").replace(".", " ").split())
    callables = {
        callable_.name: callable_ for callable_ in facts.callables() if callable_.kind in ("function", "constructor")
    }
    subject = next((callable_ for callable_ in facts.callables() if callable_.qualname == trial.subject), None)
    if subject is not None:
        callables[subject.name] = subject
    methods = {callable_.name: callable_ for callable_ in facts.callables() if callable_.name not in callables}
    arrange: list[str] = []
    for call, name, node in _arguments(act, {**methods, **callables}):
        if (node.lineno, node.col_offset) not in changed:
            continue
        variable = _unused_name(name or _PLAIN.get(type(node), "given"), taken)
        taken.add(variable)
        arrange.append(f"{variable} = {ast.unparse(node)}")
        replacement = ast.Name(variable, ast.Load())
        call.args = [replacement if argument is node else argument for argument in call.args]
        for given in call.keywords:
            if given.value is node:
                given.value = replacement
    if not arrange:
        return None
    return replace(trial, act=ast.unparse(act), arrange=(*trial.arrange, *arrange))


def _arguments(act: ast.expr, callables: dict[str, CallableFacts]) -> Iterator[tuple[ast.Call, str, ast.expr]]:
    """Generates each argument of each call with the parameter it is passed to; empty where that is unknown."""
    for call in [node for node in ast.walk(act) if isinstance(node, ast.Call)]:
        called = last_name(call.func)
        names = positional_names(callables.get(called))
        for at, argument in enumerate(list(call.args)):
            yield call, names[at] if at < len(names) else "", argument
        for given in list(call.keywords):
            yield call, given.arg or "", given.value


def _unused_name(name: str, taken: set[str]) -> str:
    name = name.strip("_") or "given"
    if keyword.iskeyword(name) or hasattr(builtins, name):
        name = f"given_{name}"
    choice, number = name, 2
    while choice in taken or choice == "result":
        choice, number = f"{name}_{number}", number + 1
    return choice
