"""Which of a flow's statements set it up, and which are steps between components (B-04)."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ....utils.python_source import parse_python
from ...python.usage.project_index import ProjectIndex
from ..model.model import IntegrationTarget
from ..model.spec_case import Step


def split_steps(
    statements: Sequence[str], act: str, mode: str, target: IntegrationTarget, index: ProjectIndex
) -> tuple[tuple[str, ...], tuple[Step, ...]]:
    """Statements to arrange, then the steps: from the first call that is made for its effect on, the act last."""
    components = _Components(target, index)
    bodies = [parse_python(one).body for one in statements]
    begin = len(statements)
    for at in range(len(statements) - 1, -1, -1):
        if not _is_step(bodies[at]):
            break
        if isinstance(bodies[at][0], ast.Expr):
            begin = at
    # What comes before a step and is no step keeps everything before it arranged.
    for body in bodies:
        components.bind(body)
    steps = [components.step(bodies[at][0], statements[at]) for at in range(begin, len(statements))]
    if any(one is None for one in steps):
        begin, steps = len(statements), []
    last = Step(components.of_source(act), act, mode)
    return tuple(statements[:begin]), (*(one for one in steps if one is not None), last)


def _is_step(body: list[ast.stmt]) -> bool:
    if len(body) != 1:
        return False
    node = body[0]
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call)
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Call)


class _Components:
    """Who is called, by the classes of variables and the modules of names."""

    def __init__(self, target: IntegrationTarget, index: ProjectIndex) -> None:
        self._target = target
        self._index = index
        self._variables: dict[str, str] = {}

    def bind(self, body: list[ast.stmt]) -> None:
        """Remember whose object a variable holds."""
        for node in body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = self._called(node.value)
                if name is not None:
                    self._variables[node.targets[0].id] = name

    def step(self, node: ast.stmt, source: str) -> Step | None:
        """A statement as a step; None where no component is called."""
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = self._called(node.value)
            return Step(name, ast.unparse(node.value), save_as=node.targets[0].id) if name is not None else None
        if isinstance(node, ast.Expr):
            name = self._called(node.value)
            return Step(name, source.strip()) if name is not None else None
        return None

    def of_source(self, expression: str) -> str:
        """Who an expression calls; the entry where that cannot be told."""
        body = parse_python(expression.strip()).body
        node = body[0] if body else None
        name = self._called(node.value) if isinstance(node, ast.Expr) else None
        return name or self._target.entry.name

    def _called(self, node: ast.expr) -> str | None:
        while isinstance(node, ast.Call | ast.Attribute | ast.Subscript | ast.Await):
            node = node.func if isinstance(node, ast.Call) else node.value
        if not isinstance(node, ast.Name):
            return None
        return self._variables.get(node.id) or self._module_of(node.id)

    def _module_of(self, name: str) -> str | None:
        for one in self._target.components:
            facts = self._index.facts_of(one.place.module)
            names = {each.name for each in (*facts.functions, *facts.classes)} if facts is not None else set()
            if name in names:
                return one.name
        return None
