"""Gives names to literals that a call changed, so that a test can look at them afterwards (B-02)."""

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
    """The trial with the literals at some places of its act (line, column) named after the parameters they go to.

    None where there is none at those places.
    """
    try:
        act = parse_expression(trial.act)
        taken = {*names_in(trial.act), *assigned_names(trial.arrange), *trial.fixtures}
    except SyntaxError:
        return None
    for statement in trial.imports:
        taken |= set(statement.replace(",", " ").replace(".", " ").split())
    callables = {one.name: one for one in facts.callables() if one.kind in ("function", "constructor")}
    subject = next((one for one in facts.callables() if one.qualname == trial.subject), None)
    if subject is not None:
        callables[subject.name] = subject
    methods = {one.name: one for one in facts.callables() if one.name not in callables}
    arrange: list[str] = []
    for call, name, node in _given(act, {**methods, **callables}):
        if (node.lineno, node.col_offset) not in changed:
            continue
        variable = _free(name or _PLAIN.get(type(node), "given"), taken)
        taken.add(variable)
        arrange.append(f"{variable} = {ast.unparse(node)}")
        _put(call, node, ast.Name(variable, ast.Load()))
    if not arrange:
        return None
    return replace(trial, act=ast.unparse(act), arrange=(*trial.arrange, *arrange))


def _given(act: ast.expr, callables: dict[str, CallableFacts]) -> Iterator[tuple[ast.Call, str, ast.expr]]:
    """Each argument of each call, with the parameter it goes to, as far as that is known."""
    for call in [one for one in ast.walk(act) if isinstance(one, ast.Call)]:
        called = last_name(call.func)
        names = positional_names(callables.get(called))
        for at, one in enumerate(list(call.args)):
            yield call, names[at] if at < len(names) else "", one
        for given in list(call.keywords):
            yield call, given.arg or "", given.value


def _put(call: ast.Call, old: ast.expr, new: ast.expr) -> None:
    call.args = [new if one is old else one for one in call.args]
    for given in call.keywords:
        if given.value is old:
            given.value = new


def _free(name: str, taken: set[str]) -> str:
    name = name.strip("_") or "given"
    if keyword.iskeyword(name) or hasattr(builtins, name):
        name = f"given_{name}"
    choice, number = name, 2
    while choice in taken or choice == "result":
        choice, number = f"{name}_{number}", number + 1
    return choice
