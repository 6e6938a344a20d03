"""Tracks which parameter a name in a body stands for, through assignments, loops and call chains."""

from __future__ import annotations

import ast

Root = tuple[str, str]


class ParameterAliases:
    """Aliases of parameters in one body; a root is the parameter (or `self.attribute`) and an `element:` prefix.

    Args:
        parameters: the names that are followed.
        uses: where uses are recorded, in order, as keys.
    """

    def __init__(self, parameters: frozenset[str], uses: dict[tuple[str, str], None]) -> None:
        self._aliases: dict[str, Root] = {name: (name, "") for name in parameters}
        self._uses = uses

    def root(self, node: ast.AST) -> Root | None:
        """The parameter that a bare name or `self.attribute` stands for, or None."""
        if isinstance(node, ast.Name):
            return self._aliases.get(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            return (f"self.{node.attr}", "")
        return None

    def deep_root(self, node: ast.AST) -> Root | None:
        """The parameter behind a call or index chain: `text.strip().lower()` stands for `text`."""
        while True:
            root = self.root(node)
            if root is not None:
                return root
            if isinstance(node, ast.Call):
                if isinstance(node.func, ast.Attribute):
                    node = node.func.value
                elif node.args:
                    node = node.args[0]
                else:
                    return None
            elif isinstance(node, ast.Attribute | ast.Subscript):
                node = node.value
            elif isinstance(node, ast.BinOp):
                node = node.left
            else:
                return None

    def use(self, node: ast.AST, what: str) -> None:
        """Records a use of the parameter that `node` stands for."""
        root = self.root(node)
        if root is not None:
            self._uses[(root[0], root[1] + what)] = None

    def alias(self, target: ast.AST, value: ast.AST) -> None:
        """Tracks `target = value`."""
        root = self.root(value)
        if root is None and isinstance(value, ast.BoolOp):
            root = next((found for one in value.values if (found := self.root(one))), None)
        if isinstance(target, ast.Name):
            if root is not None:
                self._aliases[target.id] = root
            elif target.id in self._aliases and self._aliases[target.id][0] != target.id:
                del self._aliases[target.id]
        elif isinstance(target, ast.Attribute) and root is not None:
            stored = self.root(target)
            if stored is not None and not root[1]:
                self._uses[(root[0], f"stored:{stored[0][5:]}")] = None

    def bind_items(self, target: ast.AST, value: ast.AST) -> None:
        """Tracks `for target in value`."""
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.args:
            if value.func.id == "enumerate" and isinstance(target, ast.Tuple) and len(target.elts) == 2:
                self.use(value.args[0], "iterated")
                self.bind_items(target.elts[1], value.args[0])
            return
        root = self.root(value)
        if root is None or root[1].count("element:") > 1:
            return
        inner = (root[0], f"{root[1]}element:")
        if isinstance(target, ast.Name):
            self._aliases[target.id] = inner
        elif isinstance(target, ast.Tuple | ast.List):
            self._uses[(inner[0], f"{inner[1]}unpacked:{len(target.elts)}")] = None
