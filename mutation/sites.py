"""Finds the mutation sites of a module: every node that runs, with the nodes around it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

_NEVER_RUN = {
    ast.arg: ("annotation",),
    ast.AnnAssign: ("annotation",),
    ast.FunctionDef: ("returns",),
    ast.AsyncFunctionDef: ("returns",),
}
_HEADS = (ast.stmt, ast.ExceptHandler)


@dataclass(frozen=True, slots=True)
class Site:
    """A node and its ancestors, the module first."""

    node: ast.AST
    above: tuple[ast.AST, ...]

    @property
    def parent(self) -> ast.AST:
        """The node right above."""
        return self.above[-1]

    @property
    def head(self) -> ast.AST:
        """The statement or except clause whose first line coverage counts for this node."""
        if isinstance(self.node, _HEADS):
            return self.node
        return next(one for one in reversed(self.above) if isinstance(one, _HEADS))


def sites_of(tree: ast.Module) -> Iterator[Site]:
    """Every place, in the order of the tree.

    Left out: annotations, docstrings and other bare constants, the list of public names in `__all__`, which is a
    declaration as they are, and what stands inside f-strings, whose positions interpreters before 3.12 do not know.
    """
    waiting: list[Site] = [Site(child, (tree,)) for child in reversed(tree.body)]
    while waiting:
        site = waiting.pop()
        node = site.node
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if site.parent is tree and _declares_names(node):
            continue
        yield site
        if not isinstance(node, ast.JoinedStr):
            above = (*site.above, node)
            waiting += [Site(child, above) for child in reversed(_running_children(node))]


def _declares_names(node: ast.AST) -> bool:
    """Whether a statement sets `__all__`, or adds to it."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets)


def _running_children(node: ast.AST) -> list[ast.AST]:
    left_out = _NEVER_RUN.get(type(node), ())
    children: list[ast.AST] = []
    for name, value in ast.iter_fields(node):
        if name in left_out or name == "type_params":
            continue
        found = value if isinstance(value, list) else [value]
        children += [one for one in found if isinstance(one, ast.AST) and not isinstance(one, ast.expr_context)]
    return children
