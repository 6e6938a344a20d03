"""Checks Python code of a model for what it may not reach, by syntax tree, before it is staged or run.

The sandbox contains such code while it is run here; these limits keep it out of the project, where no sandbox would.
A test may import the target's packages, the test tools, plain-data modules of the standard library, and what the target
and the project's own tests import; anything else a person has to allow. What it loads from them is checked by
`python_code`.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from pathlib import PurePosixPath

from ...utils.python_source import parse_expression, parse_or_none, parse_python
from ..contract.protocol import JsonObject
from .problems import problem
from .python_code import STDLIB, PythonReach

RULE = "reach"


def reach_violations(
    source: str, module: str = "", *, imported: Collection[str] = (), helpers: Collection[str] = ()
) -> list[tuple[int, str]]:
    """Lists line and target of everything forbidden that code reaches for; empty for code that does not parse.

    Args:
        module: the module under test; calls into its own package are always allowed.
        imported: top-level names of what the target imports; a test may use them too, within the limits.
        helpers: modules that come with the test, in the same folder.
    """
    tree = parse_or_none(source)
    if tree is None:
        return []
    return _reach(tree, module, imported, helpers)


def code_problems(
    source: str, module: str, *, imported: Collection[str] = (), helpers: Collection[str] = ()
) -> list[JsonObject]:
    """Reports the violations of a test file as errors."""
    return [
        {**problem("$.files", f"reaches for {what}", suggestion="test without it", rule=RULE), "line": line}
        for line, what in reach_violations(source, module, imported=imported, helpers=helpers)
    ]


def helper_problems(paths: Collection[str], test_path: str, module: str) -> list[JsonObject]:
    """Reports helper files that would shadow a module: the target's, a test tool's, or the standard library's."""
    taken = {*STDLIB, module.partition(".")[0], "pytest", "_pytest", "unittest", "sitecustomize", "usercustomize"}
    named = [path for path in paths if path != test_path and PurePosixPath(path).stem in taken]
    return [
        problem("$.files", f"{path!r} hides a module of that name", suggestion="give it another name", rule=RULE)
        for path in named
    ]


def case_problems(
    case: Mapping[str, object],
    index: int,
    imports: list[str],
    module: str,
    *,
    imported: Collection[str] = (),
    allowed: Collection[str] = (),
) -> list[JsonObject]:
    """Reports the violations of one case of a spec, read as the test that its parts form.

    Args:
        imported: as for `reach_violations`.
        allowed: modules that a person allows tests to import.
    """
    tree = _as_test(case, imports)
    violations = dict.fromkeys(what for _, what in _reach(tree, module, imported, top_names(allowed)))
    path, case_id = f"$.cases[{index}]", str(case.get("id"))
    return [
        problem(path, f"{case_id} reaches for {what}", suggestion="test without it", rule=RULE) for what in violations
    ]


def top_names(modules: Collection[str]) -> list[str]:
    """Top-level names of modules."""
    return [module.partition(".")[0] for module in modules]


def imported_by(source: str) -> frozenset[str]:
    """Top-level names that a module imports; none when it does not parse."""
    tree = parse_or_none(source)
    if tree is None:
        return frozenset()
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(str(node.module).partition(".")[0])
    return frozenset(found)


def _reach(tree: ast.Module, module: str, imported: Collection[str], helpers: Collection[str]) -> list[tuple[int, str]]:
    own = {module.partition(".")[0]} if module else set()
    return PythonReach(tree, frozenset({*own, *helpers}), frozenset(imported)).found()


def _as_test(case: Mapping[str, object], imports: list[str]) -> ast.Module:
    """Builds the test that a case's parts form; parts that do not parse are reported by the spec's validation."""
    head = [statement for text in imports for statement in _statements(text)]
    body: list[ast.stmt] = [statement for text in _texts(case.get("statements")) for statement in _statements(text)]
    act = _expression(case.get("expression"))
    if act is not None:
        body.append(ast.Assign([ast.Name("result", ast.Store(), lineno=1)], act, lineno=1))
    expected = case.get("expect")
    for item in expected if isinstance(expected, list) else ():
        for key in ("actual", "value", "exception"):
            value = _expression(item.get(key))
            body += [ast.Expr(value, lineno=1)] if value is not None else []
    fixtures = [ast.arg(name, lineno=1) for name in _texts(case.get("fixtures"))]
    arguments = ast.arguments([], fixtures, None, [], [], None, [])
    test = ast.FunctionDef("test_case", arguments, body or [ast.Pass(lineno=1)], [], lineno=1)
    return ast.Module([*head, test], [])


def _statements(text: str) -> list[ast.stmt]:
    try:
        return parse_python(text).body
    except SyntaxError:
        return []


def _expression(text: object) -> ast.expr | None:
    try:
        return parse_expression(text) if isinstance(text, str) and text else None
    except SyntaxError:
        return None


def _texts(values: object) -> list[str]:
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []
