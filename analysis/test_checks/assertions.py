"""Finds the statements of a test that assert, directly or through helpers, and whether they are certainly reached."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...utils.error_formatter import CodeIssue
from ...utils.graphs import reachable
from ...utils.python_names import last_name
from .code_model import TestFunction, TestModule, structure_issue

_RAISING = ("raises", "warns", "deprecated_call", "raises_regex", "RaisesGroup")
_FAILING = ("pytest.fail", "self.fail")
# An imported helper asserts if it comes from a module for tests or its name shows it.
_FOR_TESTS = re.compile(r"(^|[._])(tests?|testing|conftest)([._]|$)")
_SAYS_SO = re.compile(r"^_*(check|verify|expect|ensure|must|should|validate)(_|$|[A-Z])")
_WAITS_FOR = re.compile(r"^(not_)?to_(be|have|contain|match)_")
_COMPOUND = (ast.Try, ast.TryStar, ast.With, ast.AsyncWith, ast.For, ast.AsyncFor, ast.While)
_MEASURING = ("benchmark", "benchmark_weave")


def assertion_issues(module: TestModule, test: TestFunction) -> Iterator[CodeIssue]:
    """Reports a test that asserts nothing, or only in a branch or handler that may not run."""
    found = asserting_nodes(module, test.node)
    if not found:
        fix = "assert what the case expects, or expect its exception"
        yield structure_issue(test.node.lineno, f"{test.name} asserts nothing", fix, "no_assertion")
        return
    places = frozenset(id(found_item) for found_item in found)
    decorating = {number for decorator in test.node.decorator_list for number in _ids(decorator)}
    if not places & (decorating | _surely_reached(module, test.node.body, places)):
        fix = "assert on every way through the test"
        message = f"{test.name} asserts only in a branch or handler that may not run"
        yield structure_issue(found[0].lineno, message, fix, "conditional_assertion")


def asserting_nodes(module: TestModule, function: ast.AST) -> list[ast.stmt | ast.expr]:
    """The nodes that assert, those of nested functions included, and calls of helpers that do."""
    return [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.stmt | ast.expr) and (asserts(module, node) or _calls_helper(module, node))
    ]


def asserts(module: TestModule, node: ast.AST) -> bool:
    """Whether a node itself asserts."""
    if isinstance(node, ast.Assert):
        return True
    if isinstance(node, ast.Raise):
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        return raised is not None and module.origin(raised) in ("AssertionError", "self.failureException")
    if not isinstance(node, ast.Call):
        return False
    origin, name = module.origin(node.func), _last(module, node.func)
    if name.lstrip("_").startswith("assert") or name in _RAISING or origin in _FAILING:
        return True
    # pytest-benchmark fails a test whose code raises; the fixture is called by its name.
    if name in _MEASURING and isinstance(node.func, ast.Name):
        return True
    # Playwright's `expect(page).to_have_title(…)` waits for what it asserts, and fails.
    if _WAITS_FOR.match(name) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call):
        return module.origin(node.func.value.func).endswith("expect")
    # `subprocess.run(…, check=True)` raises where the program fails.
    return name in ("check_call", "check_output") and origin.startswith("subprocess.")


def _last(module: TestModule, function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else module.origin(function).rpartition(".")[2]


def _calls_helper(module: TestModule, node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = last_name(node.func)
    if name in module.functions:
        return _helper_asserts(module, name)
    origin = module.origin(node.func)
    imported = isinstance(node.func, ast.Name) and name in module.origins
    if imported and _FOR_TESTS.search(origin.rpartition(".")[0]):
        return True
    # A method that is defined elsewhere: in a class this one derives from.
    return origin.startswith("self.") and origin.count(".") == 1 and bool(_SAYS_SO.match(name))


def _helper_asserts(module: TestModule, name: str) -> bool:
    """Whether a function of the file asserts, or one that it calls."""

    def nodes(helper: str) -> list[ast.AST]:
        return [node for function in module.functions[helper] for node in ast.walk(function)]

    def called(helper: str) -> list[str]:
        names = [last_name(node.func) for node in nodes(helper) if isinstance(node, ast.Call)]
        return [inner for inner in names if inner in module.functions]

    return any(asserts(module, node) for helper in reachable([name], called) for node in nodes(helper))


def _surely_reached(
    module: TestModule, body: list[ast.stmt], places: frozenset[int], *, in_loop: bool = False
) -> set[int]:
    """Ids of the nodes of a body that are certainly reached: not in a branch without its counterpart or a handler.

    Args:
        places: where the test asserts.
        in_loop: whether a branch chooses among the items of a loop, which is what loops are for.
    """
    reached: set[int] = set()
    for statement in body:
        # An assertion counts only if both branches have one; a test of the platform is no choice of the test's.
        if isinstance(statement, ast.If) and not in_loop and not _asks_machine(statement.test):
            reached |= set(_ids(statement.test)) | _of_branches(module, statement, places)
            continue
        if not isinstance(statement, _COMPOUND):
            reached |= set(_ids(statement))
            continue
        reached.add(id(statement))
        for name, below in ast.iter_fields(statement):
            if name in ("body", "orelse", "finalbody"):
                loops = in_loop or isinstance(statement, ast.For | ast.AsyncFor | ast.While)
                reached |= _surely_reached(module, below, places, in_loop=loops)
            # A handler is reached surely where the test expects the exception.
            elif name == "handlers" and _expects(module, statement):
                reached |= {number for item in below for number in _ids(item)}
            elif name != "handlers":
                parts = below if isinstance(below, list) else [below]
                reached |= {number for part in parts if isinstance(part, ast.AST) for number in _ids(part)}
    return reached


def _expects(module: TestModule, statement: ast.stmt) -> bool:
    """Whether a try requires its handler to run, or not to run: it raises or asserts otherwise."""
    if not isinstance(statement, ast.Try | ast.TryStar):
        return False
    ends = [statement.body[-1], *statement.orelse[-1:]]
    if any(isinstance(end, ast.Raise) or asserts(module, getattr(end, "value", end)) for end in ends):
        return True
    return any(_ends_test(module, handler.body[-1]) for handler in statement.handlers)


def _ends_test(module: TestModule, statement: ast.stmt) -> bool:
    inner = statement.value if isinstance(statement, ast.Expr) else statement
    return isinstance(inner, ast.Raise | ast.Call) and _fails(module, inner)


def _asks_machine(test: ast.expr) -> bool:
    """Whether a condition depends on the machine: a constant in capitals, or sys, os and platform."""
    names = [node.id for node in ast.walk(test) if isinstance(node, ast.Name)]
    return bool(names) and all(name.isupper() or name in ("sys", "os", "platform") for name in names)


def _of_branches(module: TestModule, statement: ast.If, places: frozenset[int]) -> set[int]:
    """Ids of the nodes of both branches if each of them asserts or ends the test.

    `if wrong: raise AssertionError(…)` is an assertion written by hand.
    """
    by_hand = [node for node in ast.walk(statement) if isinstance(node, ast.Raise | ast.Call) and _fails(module, node)]
    if by_hand:
        return {id(item) for item in by_hand}
    sides = (statement.body, statement.orelse)
    if not all(any(_counts(module, node, places) for item in side for node in ast.walk(item)) for side in sides):
        return set()
    return {number for side in sides for item in side for number in _ids(item)}


def _fails(module: TestModule, node: ast.Raise | ast.Call) -> bool:
    if isinstance(node, ast.Raise):
        return asserts(module, node)
    return module.origin(node.func) in _FAILING


def _counts(module: TestModule, node: ast.AST, places: frozenset[int]) -> bool:
    if id(node) in places or isinstance(node, ast.Raise):
        return True
    return isinstance(node, ast.Call) and _last(module, node.func) in ("skip", "skipTest", "fail")


def _ids(node: ast.AST) -> Iterator[int]:
    return (id(item) for item in ast.walk(node))
