"""Names what a test shows by counting the calls of a function of its own: `calls_load_once`."""

from __future__ import annotations

import ast

from ....utils.python_names import assigned_variable, last_name
from ....utils.python_source import expression_or_none, parse_expression, parse_or_none
from ..model.spec_case import Case
from ..source.moments import NOW
from ..source.titles import snake_case

CALLS = "calls"


def counted_words(case: Case) -> str:
    """How often a function of the test is called, and after what; empty for a test that counts no calls."""
    noted = next((one.value for one in case.expect if one.kind == "equals" and one.actual == CALLS), None)
    counted = expression_or_none(noted or "")
    if not isinstance(counted, ast.List):
        return ""
    nodes = [node for text in case.statements if (tree := parse_or_none(text)) for node in tree.body]
    name = next((found for node in nodes if (found := _noting(node))), "")
    act = parse_expression(case.expression)
    if not name:
        return ""
    if isinstance(act, ast.List):
        return _repeated(act, len(counted.elts), name)
    return f"calls_{name}_again{_after(nodes, act)}"


def _repeated(act: ast.List, called: int, name: str) -> str:
    if called == 1:
        return f"calls_{name}_once"
    if called < len(act.elts):
        return f"calls_{name}_once_for_equal_arguments"
    last = act.elts[-1]
    option = last.keywords[-1].arg if isinstance(last, ast.Call) and last.keywords else ""
    return f"with_{option}_calls_{name}_each_time" if option else f"calls_{name}_each_time"


def _after(nodes: list[ast.stmt], act: ast.expr) -> str:
    last = nodes[-1] if nodes else None
    bound = assigned_variable(last) if last is not None else None
    if (bound is not None and bound[0] == NOW) or (isinstance(last, ast.AugAssign) and ast.unparse(last.target) == NOW):
        return "_after_a_while"
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) and ast.dump(last.value) != ast.dump(act):
        return f"_after_{snake_case(last_name(last.value.func))}"
    if any(isinstance(inner, ast.Raise) for node in nodes for inner in ast.walk(node)):
        return "_after_failure"
    return ""


def _noting(node: ast.stmt) -> str:
    """Name of the function below a statement that notes its calls; empty without one."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef) and f"{CALLS}.append(" in ast.unparse(inner):
            return snake_case(inner.name)
    return ""
