"""Tells calls of members that a class of another module has itself: `furl(url).add(...)` is no call of `Query.add`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ....utils.python_names import assigned_variables
from ....utils.python_source import walk
from ..model.model import CallableFacts, ClassFacts, ModuleFacts
from .project_index import ProjectIndex
from .scoping import NameScope
from .slicing import base_name


def asks_foreign_object(
    act: ast.expr,
    arranged: Sequence[ast.stmt],
    subject: CallableFacts,
    scope: NameScope,
    index: ProjectIndex,
    facts: ModuleFacts,
) -> bool:
    """Whether an act calls a member by its name on an object of a class of another module that has one of its own.

    Args:
        arranged: the statements before the act.
        facts: the target, whose member `subject` is.
    """
    if subject.owner is None:
        return False
    bound = assigned_variables(arranged)
    for node in walk(act):
        if isinstance(node, ast.Attribute) and node.attr == subject.name:
            receiver = bound.get(base_name(node.value) or "", node.value)
            found = _class_of(receiver, scope, index)
            return found is not None and _is_foreign(found, subject, index, facts)
    return False


def _class_of(receiver: ast.expr, scope: NameScope, index: ProjectIndex) -> tuple[ModuleFacts, ClassFacts] | None:
    """The class of the project whose call an expression begins with: of `furl(url).set(...)` that of `furl(url)`."""
    node = receiver
    while isinstance(node, ast.Call | ast.Attribute):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return _imported(node.func.id, scope, index)
        node = node.func if isinstance(node, ast.Call) else node.value
    return None


def _imported(name: str, scope: NameScope, index: ProjectIndex) -> tuple[ModuleFacts, ClassFacts] | None:
    words = (scope.statement_for(name) or "").split()
    if words[:1] != ["from"] or words[2:] != ["import", name] or (where := index.facts_of(words[1])) is None:
        return None
    return index.class_in(name, where) or index.find_class(name)


def _is_foreign(
    found: tuple[ModuleFacts, ClassFacts], subject: CallableFacts, index: ProjectIndex, facts: ModuleFacts
) -> bool:
    where, owner = found
    lineage = index.lineage(where, owner)
    own = any(one.name == subject.owner and place.module == facts.module for place, one in lineage)
    return not own and any(member.name == subject.name for _, one in lineage for member in one.members)
