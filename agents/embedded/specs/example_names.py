"""Tells whether an example of another file calls the target, and whether its set-up is kept."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Literal

from ....engine.python.model.model import ModuleFacts, Trial
from ....utils.python_names import last_name
from ....utils.python_source import parse_or_none

Called = Literal["target", "other", "unknown"]


def origin_of(about: str, act: str, arrange: Sequence[str], facts: ModuleFacts) -> Called:
    """Whose the callable `about` is in an example, wherever the act calls it."""
    tree = parse_or_none(act)
    nodes = ast.walk(tree) if tree is not None else ()
    calls = [node for node in nodes if isinstance(node, ast.Call) and last_name(node.func) == about]
    found = {called(ast.unparse(node), arrange, facts) for node in calls}
    if not found or "other" in found:
        return "other"
    return "target" if found == {"target"} else "unknown"


def called(act: str, arrange: Sequence[str], facts: ModuleFacts) -> Called:
    """Whose callable the outermost call of an example is: of the target, of something else, or a bare name's."""
    tree = parse_or_none(act)
    node = tree.body[0] if tree is not None and len(tree.body) == 1 else None
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return "other"
    root, is_bare = _root(call.func), isinstance(call.func, ast.Name)
    classes = {owner.name for owner in facts.classes}
    if isinstance(root, ast.Call):
        made = _root(root.func)
        return (
            called(ast.unparse(root), arrange, facts) if isinstance(made, ast.Name) and made.id in classes else "other"
        )
    if not isinstance(root, ast.Name):
        return "other"
    found: Called = "unknown" if is_bare or root.id in classes else "other"
    for statement in (node for text in arrange if (part := parse_or_none(text)) for node in part.body):
        if isinstance(statement, ast.Import | ast.ImportFrom):
            found = _imported(statement, root.id, facts, found)
        elif isinstance(statement, ast.Assign | ast.AnnAssign) and root.id in _bound(statement):
            value = statement.value.func if isinstance(statement.value, ast.Call) else None
            of_class = isinstance(value, ast.Name) and value.id in classes and not is_bare
            found = called(ast.unparse(statement.value), arrange, facts) if of_class and statement.value else "other"
    return found


def is_cut(arrange: Sequence[str], trial: Trial) -> bool:
    """Whether a trial lacks a statement of its example that may change what the act does: anything but plain values."""
    kept = {ast.unparse(tree) for text in trial.arrange if (tree := parse_or_none(text))}
    nodes = [node for text in arrange if (tree := parse_or_none(text)) for node in tree.body]
    return any(not _is_plain(node) and ast.unparse(node) not in kept for node in nodes)


def _is_plain(node: ast.stmt) -> bool:
    """Whether a statement changes nothing but the variable that it binds."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    binds = isinstance(node, ast.Assign) and all(isinstance(one, ast.Name) for one in node.targets)
    return binds and not any(isinstance(one, ast.Call | ast.Await | ast.NamedExpr) for one in ast.walk(node))


def _root(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def _bound(node: ast.Assign | ast.AnnAssign) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}


def _imported(node: ast.Import | ast.ImportFrom, name: str, facts: ModuleFacts, found: Called) -> Called:
    """What an import says of a name; what it said before where it does not bind it."""
    for alias in node.names:
        if (alias.asname or alias.name.partition(".")[0]) != name:
            continue
        if isinstance(node, ast.Import):
            whole = alias.name
        else:  # a package may offer what its modules define, but of which one is not said
            whole = node.module or ""
            if f"{whole}.{alias.name}" == facts.module:
                return "target"
        if facts.module == whole:
            return "target"
        return "unknown" if facts.module.startswith(f"{whole}.") else "other"
    return found
