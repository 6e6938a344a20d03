"""Checks the structure of a unittest file."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

from ...utils.error_formatter import CodeIssue
from ...utils.python_names import callee, keyword_value
from .bodies import body_issues, skip_issues
from .code_model import Function, TestFunction, TestModule, is_meant_for_others, methods, structure_issue
from .file_rules import duplicate_issues, sleep_and_network_issues, subject_issues

_CASES = ("unittest.TestCase", "unittest.IsolatedAsyncioTestCase", "unittest.case.TestCase")
_ASYNC_CASE = "IsolatedAsyncioTestCase"
_HOOKS = {"setup": "setUp", "teardown": "tearDown", "setupclass": "setUpClass", "teardownclass": "tearDownClass"}


def unittest_issues(module: TestModule, name: str) -> Iterator[CodeIssue]:
    """Yields every structure rule of unittest that the file breaks.

    Args:
        name: the file's path, for its base name.
    """
    base = PurePosixPath(name).name
    if not base.startswith("test"):
        yield structure_issue(0, f"unittest does not discover a file called {base}", "call it test_….py", "file_name")
    owners = list(_cases(module))
    tests = [
        TestFunction(method, owner) for owner in owners for method in methods(owner) if method.name.startswith("test")
    ]
    made_otherwise = "globals" in module.names or "load_tests" in module.functions
    if not tests and not made_otherwise and not any(_may_inherit(module, owner) for owner in owners):
        fix = "write methods test_… in a class that derives from unittest.TestCase"
        yield structure_issue(0, "unittest finds no test here", fix, "no_tests")
    yield from _outside(module, owners)
    for owner in owners:
        yield from _class_issues(module, owner)
    for test in tests:
        yield from _test_issues(module, test)
        yield from body_issues(module, test)
    yield from sleep_and_network_issues(module)
    yield from subject_issues(module, tests)
    yield from duplicate_issues(tests)


def _may_inherit(module: TestModule, owner: ast.ClassDef) -> bool:
    """Whether a class may inherit tests from a class other than TestCase."""
    return any(module.origin(base) not in _CASES for base in owner.bases)


def _cases(module: TestModule) -> Iterator[ast.ClassDef]:
    """Yields classes that derive from TestCase, through classes of the file or by their base's name."""
    known: set[str] = set()
    for owner in module.classes():
        for base in owner.bases:
            origin = module.origin(base)
            if origin in _CASES or origin in known or origin.endswith("TestCase"):
                known.add(owner.name)
                yield owner
                break


def _outside(module: TestModule, owners: list[ast.ClassDef]) -> Iterator[CodeIssue]:
    for node in module.tree.body:
        if isinstance(node, Function) and node.name.startswith("test_") and node.name not in module.names:
            fix = "make it a method of a TestCase"
            yield structure_issue(node.lineno, f"unittest never runs the function {node.name}", fix, "class_name")
    for owner in module.classes():
        has_tests = any(method.name.startswith("test_") for method in methods(owner))
        if has_tests and owner not in owners and not is_meant_for_others(module, owner):
            fix = "derive it from unittest.TestCase"
            yield structure_issue(owner.lineno, f"{owner.name} is no TestCase and never runs", fix, "class_name")


def _class_issues(module: TestModule, owner: ast.ClassDef) -> Iterator[CodeIssue]:
    first: dict[str, int] = {}
    for method in methods(owner):
        hook = _HOOKS.get(method.name.replace("_", "").lower())
        if hook and method.name != hook:
            message = f"{owner.name}.{method.name} is never called by unittest"
            yield structure_issue(method.lineno, message, f"call it {hook}", "hook_name")
        if method.name in first and method.name.startswith("test"):
            message = f"{owner.name}.{method.name} is defined in line {first[method.name]} already, which it hides"
            yield structure_issue(method.lineno, message, "give each test a name of its own", "duplicate_name")
        first.setdefault(method.name, method.lineno)
    for decorator in owner.decorator_list:
        yield from skip_issues(module, decorator, owner.name)


def _test_issues(module: TestModule, test: TestFunction) -> Iterator[CodeIssue]:
    for decorator in test.node.decorator_list:
        yield from skip_issues(module, decorator, test.name)
    known = [_filled_by(module, decorator) for decorator in test.node.decorator_list]
    if None in known:  # a decorator of the project's may hand in arguments, await, and assert
        return
    given = [*test.node.args.posonlyargs, *test.node.args.args][1:]
    if len(given) - len(test.node.args.defaults) > sum(item or 0 for item in known):
        fix = "arrange it in the test or in setUp: unittest has no fixtures by name"
        message = f"{test.name} asks for {given[0].arg!r}, which nothing gives"
        yield structure_issue(test.node.lineno, message, fix, "no_fixture")
    bases = " ".join(module.origin(base) for base in (test.owner.bases if test.owner else ()))
    if isinstance(test.node, ast.AsyncFunctionDef) and bases.endswith("unittest.TestCase"):
        fix = f"derive the class from unittest.{_ASYNC_CASE}"
        yield structure_issue(test.node.lineno, f"{test.name} is async, and nothing awaits it", fix, "async_test")


def _filled_by(module: TestModule, decorator: ast.expr) -> int | None:
    """The number of arguments a decorator passes in; None if unknown."""
    origin = module.origin(callee(decorator))
    marks = ("unittest.skip", "unittest.expected", "pytest.mark.skip", "pytest.mark.xfail")
    if origin.startswith(marks) or origin in ("staticmethod", "classmethod"):
        return 0
    if origin.endswith(("patch", "patch.object")) and isinstance(decorator, ast.Call):
        replaced = len(decorator.args) > (2 if origin.endswith("object") else 1)
        return 0 if replaced or keyword_value(decorator, "new") else 1
    return 0 if origin.endswith("patch.dict") else None
