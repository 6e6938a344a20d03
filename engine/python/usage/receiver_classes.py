"""Tells of which class of a module an object is that a method is called on, as far as code says it.

Several classes have an `add`: what is passed to that of one is no example for the others.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence

from ....utils.python_names import assigned_variable, dotted_name, last_name
from ....utils.python_source import walk
from ..facts.lineage import lineage
from ..model.model import CallableFacts, ModuleFacts


class ReceiverClasses:
    """Finds the classes of receivers in one module.

    Args:
        facts: the module.
    """

    def __init__(self, facts: ModuleFacts) -> None:
        self._bases = {owner.name: [base.rpartition(".")[2] for base in owner.bases] for owner in facts.classes}
        self._members = {owner.name: {one.name: one for one in owner.members} for owner in facts.classes}
        made = [(maker, owner.name) for owner in facts.classes for maker in owner.makers or ()]
        counted = Counter(maker for maker, _ in made)
        self._makers = {maker: name for maker, name in made if counted[maker] == 1}
        # `page.query` is most likely a `Query`.
        self._by_name = {owner.name.lower(): owner.name for owner in facts.classes}

    def bound_in(self, tree: ast.Module) -> dict[str, str]:
        """The classes of the variables that a module's statements bind last to objects of known classes, by name."""
        found: dict[str, str] = {}
        for statement in tree.body:
            assigned = assigned_variable(statement)
            owner = self._of(assigned[1], found) if assigned is not None else ""
            for node in walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    found.pop(node.id, None)
            if assigned is not None and owner:
                found[assigned[0]] = owner
        return found

    def chosen(self, call: ast.Call, found: Sequence[CallableFacts], bound: dict[str, str]) -> list[CallableFacts]:
        """Those of several methods of one name that a call may mean; none where it may mean methods of unlike classes.

        Args:
            bound: classes of variables, by name.
        """
        owners = {one.owner or "" for one in found}
        if len(owners) < 2 or not isinstance(call.func, ast.Attribute):
            return list(found)
        owner = self._of(call.func.value, bound)
        nearest = next((name for name in lineage(owner, self._bases) if name in owners), None)
        if nearest is not None:
            return [one for one in found if one.owner == nearest]
        if len({[name, *lineage(name, self._bases)][-1] for name in owners}) == 1:
            return list(found)  # what a class overrides takes the same
        given = {keyword.arg for keyword in call.keywords if keyword.arg}
        fitting = [one for one in found if given and given <= {item.name for item in one.parameters}]
        return fitting if len({one.owner for one in fitting}) == 1 else []

    def _of(self, node: ast.expr, bound: dict[str, str]) -> str:
        """The class of an expression's value; empty where nothing says it."""
        if isinstance(node, ast.Name) and node.id in bound:
            return bound[node.id]
        if isinstance(node, ast.Name | ast.Attribute):
            return self._by_name.get(last_name(node).strip("_").lower(), "")
        if isinstance(node, ast.Call):
            name = last_name(node.func)
            if name in self._bases:
                return name
            if self._makers and (maker := dotted_name(node.func)) in self._makers:
                return self._makers[maker]
            # A method that may be called on and on gives the object itself, or a new one.
            owner = self._of(node.func.value, bound) if isinstance(node.func, ast.Attribute) else ""
            own = (self._members[one] for one in lineage(owner, self._bases))
            method = next((members[name] for members in own if name in members), None)
            if method is None:
                return ""
            made = method.returned_calls[0] if len(set(method.returned_calls)) == 1 else ""
            return owner if method.returns_self else made if made in self._bases else ""
        return ""
