"""Checks the structure of a pytest file: collection, arguments, marks and bodies."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

from ...utils.error_formatter import CodeIssue
from ...utils.names.counted import counted
from ...utils.python_names import callee, keyword_value, last_name
from .bodies import body_issues, skip_issues
from .code_model import Function, TestFunction, TestModule, is_meant_for_others, methods, structure_issue
from .file_rules import duplicate_issues, sleep_and_network_issues, subject_issues
from .fixtures import Fixtures, argument_names, fixture_issues, fixture_name, module_marks

_HOOKS = tuple(f"{what}_{scope}" for what in ("setup", "teardown") for scope in ("module", "function", "method"))
_ASYNC_MARKS = ("asyncio", "anyio", "trio", "twisted")


def pytest_issues(module: TestModule, name: str, fixtures: Fixtures) -> Iterator[CodeIssue]:
    """Yields every structure rule of pytest that the file breaks.

    Args:
        name: the file's path, for its base name.
        fixtures: those in reach, the file's own included.
    """
    base = PurePosixPath(name).name
    if not (base.startswith("test_") or base.endswith("_test.py")):
        yield structure_issue(0, f"pytest does not collect a file called {base}", "call it test_….py", "file_name")
    tests = list(collected(module))
    if not tests and not _inherits_tests(module) and "globals" not in module.names:
        fix = "write functions called test_…, or classes Test… with such methods"
        yield structure_issue(0, "pytest collects no test here", fix, "no_tests")
    yield from _uncollected(module, tests)
    yield from _duplicates(module)
    for mark in module_marks(module.tree):
        yield from skip_issues(module, mark, "the whole file")
    for test in tests:
        yield from _shape(module, test, fixtures)
        yield from _marks(module, test)
        yield from body_issues(module, test)
    yield from fixture_issues(module, tests, fixtures)
    yield from sleep_and_network_issues(module)
    yield from subject_issues(module, tests)
    yield from duplicate_issues(tests)


def collected(module: TestModule) -> Iterator[TestFunction]:
    """Yields the tests pytest collects: functions `test*`, and such methods of `Test*` and unittest classes."""
    for node in module.tree.body:
        if isinstance(node, Function) and node.name.startswith("test") and not fixture_name(node):
            yield TestFunction(node)
        elif isinstance(node, ast.ClassDef) and _collects(module, node):
            for method in methods(node):
                if method.name.startswith("test") and not fixture_name(method):
                    yield TestFunction(method, node)


def _collects(module: TestModule, owner: ast.ClassDef) -> bool:
    return owner.name.startswith("Test") or any(module.origin(base).startswith("unittest.") for base in owner.bases)


def _inherits_tests(module: TestModule) -> bool:
    """Whether a collected class may inherit tests from a class of another file."""
    return any(
        _collects(module, owner) and not module.origin(base).startswith("unittest.")
        for owner in module.classes()
        for base in owner.bases
    )


def _uncollected(module: TestModule, tests: list[TestFunction]) -> Iterator[CodeIssue]:
    collected_nodes = {test.node for test in tests}
    for owner in module.classes():
        names = [method.name for method in methods(owner)]
        # pytest skips such a class with a warning that nobody reads.
        if owner.name.startswith("Test") and "__init__" in names and any(name.startswith("test") for name in names):
            fix = "use a fixture or setup_method instead of __init__"
            yield structure_issue(owner.lineno, f"pytest skips {owner.name}: it has an __init__", fix, "class_init")
        tests_here = any(name.startswith("test_") for name in names)
        # A base class or mixin is collected through the classes that inherit from it.
        if tests_here and not _collects(module, owner) and not is_meant_for_others(module, owner):
            fix = f"call it Test{owner.name}"
            yield structure_issue(owner.lineno, f"pytest does not collect the class {owner.name}", fix, "class_name")
    called = {node.id for node in ast.walk(module.tree) if isinstance(node, ast.Name)}
    for test in tests:
        for node in ast.walk(test.node):
            # A nested function that is called is a helper.
            if not isinstance(node, Function) or node is test.node or node.name in called:
                continue
            if node.name.startswith("test_"):
                message = f"{node.name} lies inside {test.name} and is never collected"
                yield structure_issue(node.lineno, message, "move it out", "nested_test")
    for node in module.tree.body:
        if not isinstance(node, Function) or node in collected_nodes or node.decorator_list or node.name in _HOOKS:
            continue
        # It asserts and nothing runs it: most likely a test with a wrong name.
        if node.name not in called and any(isinstance(inner, ast.Assert) for inner in ast.walk(node)):
            message = f"{node.name} asserts, but is neither collected nor called"
            yield structure_issue(node.lineno, message, f"call it test_{node.name.lstrip('_')}", "test_name")


def _duplicates(module: TestModule) -> Iterator[CodeIssue]:
    scopes: list[tuple[str, list[ast.stmt]]] = [("", module.tree.body)]
    scopes += [(f"{owner.name}.", owner.body) for owner in module.classes()]
    for prefix, body in scopes:
        first: dict[str, int] = {}
        for node in body:
            if isinstance(node, Function | ast.ClassDef) and node.name.lower().startswith("test"):
                if node.name in first:
                    message = f"{prefix}{node.name} is defined in line {first[node.name]} already, which it hides"
                    yield structure_issue(node.lineno, message, "give each test a name of its own", "duplicate_name")
                first.setdefault(node.name, node.lineno)


def _marks(module: TestModule, test: TestFunction) -> Iterator[CodeIssue]:
    owned = test.owner.decorator_list if test.owner else []
    for decorator in [*test.node.decorator_list, *owned]:
        name = module.origin(callee(decorator))
        yield from skip_issues(module, decorator, test.name)
        if name == "pytest.mark.parametrize" and isinstance(decorator, ast.Call):
            yield from _parametrisation(test, decorator)


def _shape(module: TestModule, test: TestFunction, fixtures: Fixtures) -> Iterator[CodeIssue]:
    node = test.node
    own = list(_own_nodes(node))
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own):
        yield structure_issue(
            node.lineno, f"{test.name} yields, and pytest then runs nothing", "assert instead", "yields"
        )
    elif any(isinstance(node, ast.Return) and node.value is not None for node in own):
        yield structure_issue(node.lineno, f"{test.name} returns a value", "assert it instead", "returns")
    if isinstance(node, ast.AsyncFunctionDef) and not fixtures.open and not _async_marked(module, test):
        fix = "run the coroutine with asyncio.run in a plain function"
        yield structure_issue(node.lineno, f"{test.name} is async, and nothing awaits it", fix, "async_test")


def _async_marked(module: TestModule, test: TestFunction) -> bool:
    if test.owner and any("IsolatedAsyncioTestCase" in module.origin(base) for base in test.owner.bases):
        return True
    marks = [*test.node.decorator_list, *(test.owner.decorator_list if test.owner else ())]
    marks += [node.value for node in module.tree.body if isinstance(node, ast.Assign)]
    return any(
        isinstance(node, ast.Attribute) and node.attr in _ASYNC_MARKS for mark in marks for node in ast.walk(mark)
    )


def _own_nodes(node: Function) -> Iterator[ast.AST]:
    """Yields the nodes of a function, without those of nested functions and lambdas."""
    pending: list[ast.AST] = list(node.body)
    while pending:
        current = pending.pop()
        yield current
        if not isinstance(current, Function | ast.Lambda | ast.ClassDef | ast.GeneratorExp):
            pending.extend(ast.iter_child_nodes(current))


def _parametrisation(test: TestFunction, call: ast.Call) -> Iterator[CodeIssue]:
    names = argument_names(call)
    if names is None or len(call.args) < 2:
        return
    arguments = test.node.args
    parameters = {argument.arg for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]}
    for name in names:
        if name not in parameters:
            message = f"{test.name} has no parameter {name!r} to fill"
            yield structure_issue(call.lineno, message, "name the same parameters in both places", "parametrize")
    rows = call.args[1].elts if isinstance(call.args[1], ast.List | ast.Tuple) else []
    ids: dict[str, int] = {}
    for row in rows:
        values, name = _row(row, len(names))
        if values is not None and values != len(names):
            message = f"a row has {counted(values, 'value')} for {counted(len(names), 'parameter')}"
            yield structure_issue(row.lineno, message, "give every row one value a parameter", "parametrize")
        if name and name in ids:
            message = f"the id {name!r} is that of line {ids[name]} already"
            yield structure_issue(row.lineno, message, "give every row an id of its own", "duplicate_name")
        ids.setdefault(name, row.lineno)


def _row(row: ast.expr, wanted: int) -> tuple[int | None, str]:
    """The number of values of a row (None if unknown) and its id."""
    if isinstance(row, ast.Call) and last_name(row.func) == "param":
        given = keyword_value(row, "id")
        name = str(given.value) if isinstance(given, ast.Constant) else ""
        return (None if any(isinstance(argument, ast.Starred) for argument in row.args) else len(row.args)), name
    if wanted == 1:
        return None, ""
    if isinstance(row, ast.Tuple | ast.List) and not any(isinstance(element, ast.Starred) for element in row.elts):
        return len(row.elts), ""
    return None, ""
