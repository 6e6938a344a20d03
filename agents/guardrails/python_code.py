"""Checks every name and attribute that Python code of a model loads, resolved through imports."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from ...utils.python_names import last_name
from .call_rule import ATTRIBUTES, DUNDERS, RESERVED, CallRule
from .file_rule import PATH_FUNCTIONS, FileRule
from .module_allowlist import BEHIND, FILES, PROGRAMS, RUNNER, UNREADABLE, import_violation, is_module, use_violation
from .name_table import NameTable, fixture_names, is_fixture, read_names, root
from .possible_values import is_foreign_fixture, possible_values

# Builtins that no test needs.
_BUILTINS = frozenset(
    """eval exec compile __import__ breakpoint globals locals vars input help exit quit __builtins__ __loader__
    __spec__""".split()
)
_CALLED_ONLY = frozenset({"open", "getattr"})
_MONKEYPATCH = frozenset("setattr delattr setitem delitem setenv delenv chdir undo context".split())
_REQUEST = frozenset("param param_index addfinalizer fixturename".split())
_FIXTURES = {"pytestconfig": RUNNER, "pytester": PROGRAMS, "testdir": PROGRAMS}
_REPLACED = frozenset({"os.environ", "sys.modules", "sys.argv", "sys.path", "os.getcwd"})
_PATCHERS = frozenset("setattr delattr setitem delitem object dict multiple create_autospec reload patch".split())
_HOOK = re.compile(r"pytest_\w+")


class PythonReach:
    """Checks one file and lists its violations with their lines.

    Args:
        tree: the file.
        own: top-level names of the target's packages and of helpers beside the test.
        also: top-level names of what the target imports.
    """

    def __init__(self, tree: ast.Module, own: AbstractSet[str], also: AbstractSet[str]) -> None:
        self._tree = tree
        self._own, self._also = own, also
        self._names: NameTable = read_names(tree)
        self._files = FileRule(self._names)
        self._calls = CallRule(self._names, own, also)

    def found(self) -> list[tuple[int, str]]:
        """All violations in order of lines, without repeats."""
        found: set[tuple[int, str]] = set()
        for node in ast.walk(self._tree):
            line = getattr(node, "lineno", 0)
            found |= {(line, what) for what in self._of(node)}
        return sorted(found)

    def _of(self, node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from self._import(node)
        elif isinstance(node, ast.Attribute):
            yield from self._attribute(node)
        elif isinstance(node, ast.Name):
            yield from self._name(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from self._function(node)
        elif isinstance(node, ast.MatchClass):
            yield from (f"{UNREADABLE} with the pattern {name}=" for name in node.kwd_attrs if _is_hidden(name))
        elif isinstance(node, ast.arg | ast.AnnAssign) and _calls_in_text(node.annotation):
            yield f"{UNREADABLE} with an annotation that is code as text"
        if isinstance(node, ast.Call):
            yield from self._files.call(node)
            yield from self._calls.call(node)

    def _import(self, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
        if isinstance(node, ast.Import):
            violations = [import_violation(alias.name, self._own, self._also) for alias in node.names]
        elif any(alias.name == "*" for alias in node.names):
            violations = [f"{UNREADABLE} with from {node.module or '.'} import *"]
        elif node.level:
            named = {*str(node.module or "").split("."), *(alias.name for alias in node.names)}
            violations = [f"{RUNNER} with conftest"] if "conftest" in named else []
        else:
            module = str(node.module)
            violations = [
                import_violation(module, self._own, self._also)
                or use_violation(f"{module}.{alias.name}", self._own, self._also)
                for alias in node.names
            ]
            if module.partition(".")[0] in self._own:
                violations += [_through(f"{module}.{alias.name}") for alias in node.names]
        yield from filter(None, violations)

    def _attribute(self, node: ast.Attribute) -> Iterator[str]:
        name = node.attr
        if name.startswith("__") and name.endswith("__") and name not in DUNDERS:
            yield f"{UNREADABLE} with {name}"
        elif name in ATTRIBUTES and not isinstance(self._names.parents.get(node), ast.ImportFrom):
            yield f"{ATTRIBUTES[name]} with {name}"
        yield from self._files.attribute(node)
        yield from self._fixture_attribute(node)
        if isinstance(self._names.parents.get(node), ast.Attribute):
            return
        yield from self._loaded(node)

    def _fixture_attribute(self, node: ast.Attribute) -> Iterator[str]:
        if not isinstance(node.value, ast.Name):
            return
        fixture = node.value.id
        if fixture not in self._names.parameters(node) or self._names.functions.get(fixture):
            return
        if fixture == "monkeypatch" and node.attr not in _MONKEYPATCH:
            yield f"{RUNNER} with monkeypatch.{node.attr}"
        if fixture == "request" and node.attr not in _REQUEST:
            yield f"{RUNNER} with request.{node.attr}"

    def _name(self, node: ast.Name) -> Iterator[str]:
        builtin = self._names.builtin(node)
        if builtin in _BUILTINS:
            yield f"{UNREADABLE} with {builtin}"
        elif builtin in _CALLED_ONLY and not self._is_called(node) and isinstance(node.ctx, ast.Load):
            yield f"{UNREADABLE} with {builtin} as a value"
        if isinstance(self._names.parents.get(node), ast.Attribute):
            return
        if isinstance(node.ctx, ast.Store) and node.id in RESERVED and next(self._names.scopes(node)) is self._tree:
            yield f"{RUNNER} with {node.id} bound by the file"
        if node.id == "pytest_plugins":
            yield f"{RUNNER} with pytest_plugins"
        yield from self._loaded(node)

    def _loaded(self, node: ast.Attribute | ast.Name) -> Iterator[str]:
        """Checks a whole attribute chain that the code uses."""
        dotted = self._names.dotted(node)
        if not dotted and isinstance(node, ast.Attribute):
            dotted = list(_unrooted(node))
        for dotted_name in dotted:
            reaches = use_violation(dotted_name, self._own, self._also)
            if reaches:
                if not (dotted_name in _REPLACED and self._is_replaced(node)):
                    yield reaches
            elif dotted_name in PATH_FUNCTIONS and not self._is_called(node):
                yield f"{FILES} with {dotted_name} as a value"
            elif dotted_name in (
                "pickle.loads",
                "operator.attrgetter",
                "operator.methodcaller",
            ) and not self._is_called(node):
                yield f"{UNREADABLE} with {dotted_name} as a value"
            elif self._is_module(dotted_name) and not self._is_replaced(node):
                yield f"{UNREADABLE} with the module {dotted_name} as a value"

    def _is_module(self, dotted: str) -> bool:
        """Whether a name is a foreign module: the standard library's, or one reached through the target's."""
        if dotted.partition(".")[0] in self._own:
            return dotted.rpartition(".")[2] in BEHIND
        return is_module(dotted)

    def _is_called(self, node: ast.AST) -> bool:
        return self._names.called(node) is not None

    def _is_replaced(self, node: ast.AST) -> bool:
        """Whether an object is only named so that a patcher can replace parts of it."""
        around = self._names.parents.get(node)
        if not isinstance(around, ast.Call) or around.func is node or around.args[:1] != [node]:
            return False
        patching = self._is_monkeypatch(root(around.func)) or any(
            dotted_name.startswith(("unittest.mock.", "importlib.reload"))
            for dotted_name in self._names.dotted(around.func)
        )
        return patching and last_name(around.func) in _PATCHERS

    def _is_monkeypatch(self, node: ast.AST) -> bool:
        if not isinstance(node, ast.Name):
            return False
        if node.id == "monkeypatch" and is_foreign_fixture(self._names, node):
            return True
        makers = [
            self._names.dotted(value.func)
            for value in possible_values(self._names, node)
            if isinstance(value, ast.Call)
        ]
        return bool(makers) and all(any(each.startswith("pytest.MonkeyPatch") for each in item) for item in makers)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
        if _HOOK.fullmatch(node.name) and isinstance(self._names.parents.get(node), ast.Module):
            yield f"{RUNNER} with {node.name}"
        if is_fixture(node) and {node.name, *fixture_names(node)} & RESERVED:
            yield f"{RUNNER} with a fixture that hides pytest's own"
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            if argument.arg in _FIXTURES and not self._names.functions.get(argument.arg):
                yield f"{_FIXTURES[argument.arg]} with the fixture {argument.arg}"


def _is_hidden(name: str) -> bool:
    """Whether an attribute leads from a value to more than the value, as in `_attribute`."""
    return name in ATTRIBUTES or (name.startswith("__") and name.endswith("__") and name not in DUNDERS)


def _calls_in_text(annotation: ast.expr | None) -> bool:
    """Whether an annotation holds text that calls something when it is evaluated."""
    texts = [node.value for node in ast.walk(annotation) if isinstance(node, ast.Constant)] if annotation else []
    return any(isinstance(text, str) and "(" in text for text in texts)


def _through(dotted: str) -> str | None:
    """Refuses a module that a module of the target imported: `from cart import os` is `import os`."""
    name = dotted.rpartition(".")[2]
    return f"{UNREADABLE} with the module {dotted} as a value" if name in BEHIND else None


def _unrooted(node: ast.Attribute) -> Iterator[str]:
    """The part of an attribute chain that goes through a module: `cart.os.system`, `self.cart.sys.modules`."""
    parts: list[str] = []
    inner: ast.AST = node
    while isinstance(inner, ast.Attribute):
        parts.insert(0, inner.attr)
        inner = inner.value
    for at, item in enumerate(parts[:-1]):
        if item in ("os", "sys", "subprocess", "socket", "shutil", "importlib", "builtins", "ctypes"):
            yield ".".join(parts[at:])
            return


STDLIB = frozenset(sys.stdlib_module_names)
"""Names that no helper module may have."""
