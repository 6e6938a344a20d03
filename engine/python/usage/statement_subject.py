"""Finds the callable of the target that a statement tests."""

from __future__ import annotations

import ast

from ..model.model import CallableFacts, ModuleFacts
from .slicing import base_name

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "__add__",
    ast.Sub: "__sub__",
    ast.Mult: "__mul__",
    ast.BitOr: "__or__",
    ast.BitAnd: "__and__",
    ast.BitXor: "__xor__",
    ast.Div: "__truediv__",
    ast.Eq: "__eq__",
    ast.Lt: "__lt__",
    ast.Gt: "__gt__",
    ast.In: "__contains__",
}
_FUNCTIONS = {
    "len": "__len__",
    "str": "__str__",
    "repr": "__repr__",
    "bool": "__bool__",
    "iter": "__iter__",
    "hash": "__hash__",
    "list": "__iter__",
    "sorted": "__iter__",
    "reversed": "__reversed__",
    "next": "__next__",
}


class Subjects:
    """Finds the subject of an expression among the callables of one module."""

    def __init__(self, facts: ModuleFacts, subjects: tuple[CallableFacts, ...]) -> None:
        self._functions = {one.qualname: one for one in subjects if one.owner is None or one.kind == "constructor"}
        self._members: dict[str, list[CallableFacts]] = {}
        for subject in subjects:
            if subject.owner is not None and subject.kind != "constructor":
                self._members.setdefault(subject.name, []).append(subject)
        self._classes = {owner.name for owner in facts.classes}
        self._dunders = [name for name in self._members if name.startswith("__")]

    def may_concern(self, act: ast.expr) -> bool:
        """A cheap filter: whether the act names a function or member, or uses the syntax of a dunder method."""
        for node in ast.walk(act):
            if isinstance(node, ast.Name) and (node.id in self._functions or node.id in self._classes):
                return True
            if isinstance(node, ast.Attribute) and (node.attr in self._members or node.attr in self._functions):
                return True
            dunder = (
                _FUNCTIONS.get(node.func.id) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None
            )
            if isinstance(node, ast.Subscript | ast.BinOp | ast.Compare) or dunder in self._members:
                return bool(self._dunders)
        return False

    def of(self, act: ast.expr, arrange: list[ast.stmt]) -> CallableFacts | None:
        """The outermost callable that the act calls; None when it calls none of them."""
        classes = self._variables(arrange)
        # Breadth first: the expression's parts, outer before inner, receivers before arguments.
        return next((found for node in ast.walk(act) if (found := self._one(node, classes)) is not None), None)

    def _variables(self, arrange: list[ast.stmt]) -> dict[str, str]:
        """Variables that hold an object of a class of the target."""
        found: dict[str, str] = {}
        for node in arrange:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                called = node.value.func if isinstance(node.value, ast.Call) else None
                name = base_name(called) if called is not None else None
                if name in self._classes and name is not None:
                    found[node.targets[0].id] = name
        return found

    def _one(self, node: ast.AST, classes: dict[str, str]) -> CallableFacts | None:
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                if node.func.id in self._functions:
                    return self._functions[node.func.id]
                dunder = _FUNCTIONS.get(node.func.id)
                return self._member(dunder, node.args[0], classes, True) if dunder and node.args else None
            if isinstance(node.func, ast.Attribute):
                return self._member(node.func.attr, node.func.value, classes, False)
        if isinstance(node, ast.Attribute):
            return self._member(node.attr, node.value, classes, False)
        if isinstance(node, ast.Subscript):
            return self._member("__getitem__", node.value, classes, True)
        if isinstance(node, ast.BinOp):
            return self._member(_OPERATORS.get(type(node.op)), node.left, classes, True)
        if isinstance(node, ast.Compare):
            side = node.comparators[0] if isinstance(node.ops[0], ast.In) else node.left
            return self._member(_OPERATORS.get(type(node.ops[0])), side, classes, True)
        return None

    def _member(
        self, name: str | None, receiver: ast.expr, classes: dict[str, str], surely: bool
    ) -> CallableFacts | None:
        """The member of that name on the receiver's class; for a dunder that class must be known."""
        if name is None or name not in self._members:
            return None
        base = base_name(receiver) or ""
        owner = classes.get(base) or (base if base in self._classes else None)
        for one in self._members[name]:
            if one.owner == owner:
                return one
        if owner is not None or surely:
            return None
        return self._members[name][0] if isinstance(receiver, ast.Name | ast.Call) else None
