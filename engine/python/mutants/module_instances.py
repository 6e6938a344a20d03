"""Rewrites trials to use instances that the module creates: `jaro("a", "b")` in place of `Jaro()("a", "b")`."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from ....utils.python_names import last_name
from ....utils.python_source import expression_or_none, parse_python
from ..inputs.calls import variable_for
from ..model.model import ModuleFacts, Trial
from ..search.trial_search import TrialRecord

_MOST = 3


def with_module_instances(
    records: Iterable[TrialRecord], facts: ModuleFacts, tree: ast.Module, line: int
) -> list[Trial]:
    """Returns the first few trials, rewritten to use the public instance that a line of the module binds.

    Trials with effects are excluded: all tests share the module's instance.

    Args:
        tree: syntax tree of the module.
    """
    found: list[Trial] = []
    for name, value in _bound(tree, line):
        statement = f"from {facts.module} import {name}"
        text = ast.unparse(value)
        for record in records:
            trial = record.trial
            if record.observation.effects or not any(text in one for one in (*trial.arrange, trial.act)):
                continue
            changed = _renamed(trial, name, value)
            if changed is not None:
                found.append(replace(changed, imports=tuple(sorted({*trial.imports, statement}))))
            if len(found) >= _MOST:
                return found
    return found


def _bound(tree: ast.Module, line: int) -> list[tuple[str, ast.Call | ast.Attribute]]:
    """Returns the public name that the module's statement at a line binds to a call's result or an attribute."""
    node = next((statement for statement in tree.body if statement.lineno <= line <= (statement.end_lineno or 0)), None)
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call | ast.Attribute):
        return []
    names = [target.id for target in node.targets if isinstance(target, ast.Name) and not target.id.startswith("_")]
    # Of several names, that of the class says what it is.
    own = variable_for(last_name(node.value.func)) if isinstance(node.value, ast.Call) else ""
    return [(name, node.value) for name in sorted(names, key=lambda name: name != own)][:1]


def _renamed(trial: Trial, name: str, value: ast.expr) -> Trial | None:
    """Returns the trial with the name in place of the object it constructs; None if it constructs none or binds it."""
    text = ast.unparse(value)
    for at, statement in enumerate(trial.arrange):
        variable, separator, built = statement.partition(" = ")
        if separator and built == text and variable.isidentifier():
            rest = [_replaced(one, ast.Name(variable), name) for one in (*trial.arrange[at + 1 :], trial.act)]
            changed = replace(trial, arrange=(*trial.arrange[:at], *rest[:-1]), act=rest[-1])
            return _plain(changed, name) if not any(name in one for one in rest[:-1]) else None
    changed = replace(trial, act=_replaced(trial.act, value, name))
    return _plain(changed, name) if changed.act != trial.act else None


def _plain(trial: Trial, name: str) -> Trial | None:
    bound = any(one.startswith(f"{name} = ") for one in trial.arrange)
    return None if bound or trial.act == name else replace(trial, source="mutation", wanted=None, wanted_line=0)


def _replaced(text: str, part: ast.expr, name: str) -> str:
    """Replaces a part of a statement or expression by a name; returns the text itself if it has no such part."""
    wanted = ast.dump(part).replace(", ctx=Load()", "")

    class _Replace(ast.NodeTransformer):
        def generic_visit(self, node: ast.AST) -> ast.AST:
            if isinstance(node, type(part)) and ast.dump(node).replace(", ctx=Load()", "") == wanted:
                return ast.Name(name, ast.Load())
            return super().generic_visit(node)

        def visit(self, node: ast.AST) -> ast.AST:
            return self.generic_visit(node)

    tree = expression_or_none(text) or parse_python(text)
    before = ast.unparse(tree)
    after = ast.unparse(_Replace().visit(tree))
    return text if after == before and not isinstance(part, ast.Name) else after
