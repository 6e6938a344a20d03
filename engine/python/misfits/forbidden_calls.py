"""Finds trials that build an object of a class that documents forbid to call."""

from __future__ import annotations

import ast

from ....utils.python_names import last_name
from ....utils.python_source import shared_expression, shared_module
from ..model.model import ModuleFacts, Trial


def calls_forbidden_class(trial: Trial, facts: ModuleFacts) -> bool:
    """Whether a trial calls a class whose objects functions make: what it passes are parts of the inside."""
    names = {owner.name for owner in facts.classes if owner.makers is not None}
    if not names:
        return False
    trees = [*map(shared_module, map(str.strip, trial.arrange)), shared_expression(trial.act)]
    calls = (node.func for tree in trees if tree is not None for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(isinstance(one, ast.Name | ast.Attribute) and last_name(one) in names for one in calls)
