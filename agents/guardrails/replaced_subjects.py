"""Finds tests that replace what they test: subjects defined or patched in the test file, hidden test tools.

Such a test passes whatever the code does, so it is refused in the first version and in refinements.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet

from ...utils.names.case_names import cases_of_test, owned_tests
from ...utils.python_names import last_name
from ...utils.python_source import parse_or_none
from ..contract.protocol import JsonObject
from .assertions import list_tests
from .problems import problem

RULE = "replaced"
_TOOLS = {"pytest": "pytest", "unittest": "unittest", "raises": "pytest", "approx": "pytest", "warns": "pytest"}
_BY_TEXT = frozenset({"patch", "setattr", "delattr"})
_BY_OBJECT = frozenset({"object", "setattr", "delattr"})
Function = ast.FunctionDef | ast.AsyncFunctionDef


def replaced_subjects(source: str, cases: Iterable[Mapping[str, object]], module: str) -> list[JsonObject]:
    """Lists where a test file replaces its subject; empty for a file that does not parse.

    Args:
        cases: of the spec: ids with their subjects.
        module: the module under test.
    """
    tree = parse_or_none(source)
    if tree is None:
        return []
    subjects = {str(case.get("id")): str(case.get("subject") or "") for case in cases}
    package = module.partition(".")[0]
    names = {value.partition(".")[0] for value in subjects.values() if value}
    found = [*_hidden(tree, _TOOLS | dict.fromkeys(names, package)), *_patched(tree, subjects)]
    return [
        {**problem("$.files", message, suggestion="test the code as it is", rule=RULE), "line": line}
        for line, message in sorted(set(found))
    ]


def _hidden(tree: ast.Module, origins: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Yields names that should come from an import and are bound otherwise."""
    imported = {(item.asname or item.name.partition(".")[0]) for node in ast.walk(tree) for item in _aliases(node)}
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    loaded = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    for node in ast.walk(tree):
        for name, line in _bindings(node):
            # A name that is never imported, called or loaded hides nothing: it only happens to be equal.
            if name in origins and (name in imported or name in called or (name in _TOOLS and name in loaded)):
                yield line, f"{name} is made in the test file instead of being imported"
        if isinstance(node, ast.ImportFrom):
            for entry in node.names:
                bound = entry.asname or entry.name
                top = str(node.module or "").partition(".")[0]
                # An import of the name from anywhere but the target's package is a replacement, too.
                if bound in origins and (node.level or top not in (origins[bound], "")):
                    yield node.lineno, f"{bound} is imported from {'.' * node.level}{node.module or ''}"
        if isinstance(node, ast.Assign | ast.AugAssign | ast.Delete):
            # `module.subject = fake` patches without a patcher.
            targets = [node.target] if isinstance(node, ast.AugAssign) else node.targets
            for target in targets:
                begins = _dotted(target) if isinstance(target, ast.Attribute) else ""
                if begins and begins.partition(".")[0] in imported and _is_subject(begins, origins):
                    yield target.lineno, f"{begins} is replaced"


def _is_subject(dotted: str, origins: Mapping[str, str]) -> bool:
    parts = dotted.split(".")
    return any(part in origins and part not in _TOOLS for part in parts)


def _aliases(node: ast.AST) -> list[ast.alias]:
    return node.names if isinstance(node, ast.Import | ast.ImportFrom) else []


def _bindings(node: ast.AST) -> Iterator[tuple[str, int]]:
    """Yields names that a node binds other than by an import."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name, node.lineno
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
        yield node.id, node.lineno
    elif isinstance(node, ast.arg):
        yield node.arg, node.lineno


def _patched(tree: ast.Module, subjects: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Yields patches of a subject in its own test, or in the fixtures of that test."""
    for test_or_other, of in _scopes(tree, subjects):
        for node in test_or_other:
            if not isinstance(node, ast.Call):
                continue
            for target in _targets(node):
                for subject in of:
                    if subject and (target == subject or target.endswith(f".{subject}")):
                        yield node.lineno, f"{subject} is patched by its own test"


def _scopes(tree: ast.Module, subjects: Mapping[str, str]) -> Iterator[tuple[list[ast.AST], AbstractSet[str]]]:
    """Yields groups of nodes, each with the subjects of the tests that contain or use them."""
    tests = list_tests(tree)
    everything = frozenset(subjects.values())
    subjects_of_test = {
        id(test): {subjects[item] for item in cases_of_test(test, owner, subjects) if item in subjects}
        for test, owner in owned_tests(tree)
    }
    of_test = {test: of or everything for test, of in subjects_of_test.items()}
    inside: set[int] = set()
    for test in tests:
        nodes = list(ast.walk(test))
        inside |= {id(node) for node in nodes}
        yield nodes, of_test[id(test)]
    for node in ast.walk(tree):
        # A fixture replaces for the tests that use it; an automatic one for all.
        if isinstance(node, Function) and id(node) not in inside and _fixture(node) is not None:
            users = [test for test in tests if node.name in _fixture_names(test)]
            nodes = list(ast.walk(node))
            inside |= {id(node) for node in nodes}
            yield nodes, everything if _fixture(node) else {item for test in users for item in of_test[id(test)]}
    yield [node for node in ast.walk(tree) if id(node) not in inside], everything


def _fixture_names(test: Function) -> set[str]:
    return {node.arg for node in ast.walk(test.args) if isinstance(node, ast.arg)}


def _fixture(node: Function) -> bool | None:
    """Whether a fixture is autouse; None for a function that is not a fixture."""
    for mark in node.decorator_list:
        if last_name(mark.func if isinstance(mark, ast.Call) else mark) == "fixture":
            return isinstance(mark, ast.Call) and any(keyword.arg == "autouse" for keyword in mark.keywords)
    return None


def _targets(call: ast.Call) -> Iterator[str]:
    """Yields the dotted names that a call patches, named by a text or by an object and an attribute name."""
    name = last_name(call.func)
    texts = [
        argument.value
        for argument in call.args[:2]
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]
    if name in _BY_TEXT and texts and isinstance(call.args[0], ast.Constant):
        yield texts[0]
    elif name in _BY_OBJECT and len(call.args) > 1 and texts:
        yield f"{_dotted(call.args[0])}.{texts[0]}"
    elif name == "multiple" and call.args:
        owner = texts[0] if isinstance(call.args[0], ast.Constant) and texts else _dotted(call.args[0])
        yield from (f"{owner}.{keyword.arg}" for keyword in call.keywords if keyword.arg)


def _dotted(node: ast.AST) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    return ".".join([node.id, *parts]) if isinstance(node, ast.Name) else ".".join(parts)
