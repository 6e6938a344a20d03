"""Checks that tests use something from outside the test file, and that no two tests have the same body."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ...utils.error_formatter import CodeIssue
from .code_model import Function, TestFunction, TestModule, methods, structure_issue

_LIBRARIES = frozenset(
    "pytest unittest mock hypothesis typing typing_extensions __future__ freezegun time_machine faker _pytest nose "
    "parameterized ddt assertpy hamcrest sure dirty_equals".split()
)
_BASES = ("TestCase", "object")


def subject_issues(module: TestModule, tests: Iterable[TestFunction]) -> Iterator[CodeIssue]:
    """Yields tests that only look at objects they created themselves.

    Whatever is unknown counts as a subject: a parameter, an import that is no test library, a class of another file.
    """
    if module.star or _acts_for_all(module):
        return
    definitions = _definitions(module)
    for test in tests:
        if not _reaches_out(module, test, definitions):
            fix = "call what is tested and assert on its result"
            yield structure_issue(test.node.lineno, f"{test.name} never touches what is tested", fix, "no_subject")


def duplicate_issues(tests: Iterable[TestFunction]) -> Iterator[CodeIssue]:
    """Yields tests whose bodies and marks equal those of another one."""
    first: dict[str, TestFunction] = {}
    for test in tests:
        owner = test.owner.name if test.owner else ""
        marks = [ast.dump(decorator) for decorator in test.node.decorator_list]
        body = [ast.dump(statement) for statement in test.node.body if not _is_docstring(statement)]
        key = repr((owner, marks, ast.dump(test.node.args), body))
        earlier = first.setdefault(key, test)
        if earlier is not test and body and earlier.node.name != test.node.name:
            message = f"{test.name} does the same as {earlier.name} in line {earlier.node.lineno}"
            yield structure_issue(test.node.lineno, message, "test something else, or leave one out", "duplicate_body")


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _acts_for_all(module: TestModule) -> bool:
    """Whether an autouse fixture, `usefixtures` or xunit set-up may be the subject of every test."""
    text = ast.dump(module.tree)
    return "autouse" in text or "usefixtures" in text or "setup_module" in module.functions


def _reaches_out(module: TestModule, test: TestFunction, definitions: dict[str, list[ast.AST]]) -> bool:
    arguments = test.node.args
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    if len(given) > (1 if test.owner else 0):
        return True
    roots: list[ast.AST] = [test.node]
    if test.owner is not None:
        if any(not module.origin(base).endswith(_BASES) for base in test.owner.bases):
            return True
        roots += [
            statement
            for statement in test.owner.body
            if not (isinstance(statement, Function) and statement.name.startswith("test"))
        ]
        roots += test.owner.decorator_list
    return _outside(module, roots, definitions)


def _outside(module: TestModule, roots: list[ast.AST], definitions: dict[str, list[ast.AST]]) -> bool:
    seen: set[str] = set()
    pending = list(roots)
    while pending:
        for node in ast.walk(pending.pop()):
            if isinstance(node, ast.Name):
                name = node.id
            elif isinstance(node, ast.Import | ast.ImportFrom | ast.Global):
                if isinstance(node, ast.Global) or any(_is_foreign(item) for item in _modules(node)):
                    return True
                continue
            else:
                continue
            if name in seen:
                continue
            seen.add(name)
            if name in module.origins and _is_foreign(module.origins[name]):
                return True
            if name in ("open", "exec", "eval", "__import__", "globals"):
                return True
            pending += definitions.get(name, ())
    return False


def _definitions(module: TestModule) -> dict[str, list[ast.AST]]:
    """The nodes that define the names at the top of the file."""
    found: dict[str, list[ast.AST]] = {}
    for node in ast.walk(module.tree):
        if isinstance(node, Function | ast.ClassDef):
            found.setdefault(node.name, []).append(node)
            if isinstance(node, ast.ClassDef):
                for method in methods(node):
                    found.setdefault(method.name, []).append(method)
    for node in module.tree.body:
        for inner in ast.walk(node) if not isinstance(node, Function | ast.ClassDef) else ():
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                found.setdefault(inner.id, []).append(node)
    return found


def _modules(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [f"{'.' * node.level}{node.module or ''}"]
    return [alias.name for alias in node.names]


def _is_foreign(origin: str) -> bool:
    return origin.partition(".")[0] not in _LIBRARIES
