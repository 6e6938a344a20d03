"""Resolves the names of a Python test file: imports through their aliases, and every value a name is bound to.

Nothing is executed and the order of statements is ignored: a name has every value that is ever bound to it.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ...utils.python_names import last_name

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
UNKNOWN: ast.expr = ast.Name("<unknown>", ast.Load())
"""Placeholder for a value that the file does not determine."""
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

_MOST_STEPS = 200_000
Value = TypeVar("Value")
_DEFERRING = frozenset("addCleanup addClassCleanup addModuleCleanup callback".split())


@dataclass(slots=True)
class NameTable:
    """The resolved names of one file, built by `read_names`.

    Attributes:
        tree: the file.
        imported: dotted names that imports bind, by local name.
        sure: line from which an import at the top of the file surely binds a name.
        parents: the node around each node.
        functions: functions and methods by name; fixtures also by the name they are given.
        used: last parts of all names that are loaded.
    """

    tree: ast.Module
    imported: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    sure: dict[str, int] = field(default_factory=dict)
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)
    functions: dict[str, list[Function]] = field(default_factory=lambda: defaultdict(list))
    used: set[str] = field(default_factory=set)
    _calls: dict[str, list[ast.Call]] = field(default_factory=lambda: defaultdict(list))
    _known: dict[tuple[str, int], Any] = field(default_factory=dict)
    _open_lookups: set[tuple[str, int]] = field(default_factory=set)
    _circles: int = 0
    _steps: int = 0
    _bound: dict[tuple[ast.AST, str], list[ast.expr]] = field(default_factory=lambda: defaultdict(list))

    def dotted(self, node: ast.AST) -> list[str]:
        """All dotted names an attribute chain may mean through imports; empty when its root is not imported."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return []
        return [".".join([item, *reversed(parts)]) for item in self.imported.get(node.id, ())]

    def builtin(self, node: ast.AST) -> str:
        """The builtin that a node names; empty when it names none, or an import certainly hides it."""
        if not isinstance(node, ast.Name) or node.id in self.parameters(node):
            return ""
        hidden = self.sure.get(node.id)
        return "" if hidden is not None and hidden < node.lineno else node.id

    def scopes(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yields the functions and comprehensions around a node, innermost first, then the file."""
        inside: ast.AST | None = node
        while inside is not None:
            inside = self.parents.get(inside)
            if isinstance(inside, Function | ast.Module | _Comprehension):
                yield inside

    def parameters(self, node: ast.AST) -> set[str]:
        """The parameters of all functions around a node."""
        return {
            inner.arg
            for scope in self.scopes(node)
            if isinstance(scope, Function)
            for inner in ast.walk(scope.args)
            if isinstance(inner, ast.arg)
        }

    def values(self, node: ast.expr) -> list[ast.expr] | None:
        """The values that a name or `self.x` is bound to in its nearest scope; None when the file does not bind it."""
        key = _key(node)
        for scope in self.scopes(node):
            found = self._bound.get((scope, key))
            if found:
                return found
        return None

    def called(self, node: ast.AST) -> ast.Call | None:
        """The call of a function, direct or deferred (`addCleanup(f, x)`); None if it is not called."""
        around = self.parents.get(node)
        if not isinstance(around, ast.Call):
            return None
        if around.func is node:
            return around
        if last_name(around.func) not in _DEFERRING or around.args[:1] != [node] or not isinstance(node, ast.expr):
            return None
        later = ast.copy_location(ast.Call(node, around.args[1:], around.keywords), around)
        self.parents[later] = self.parents[around]
        return later

    def owner(self, name: ast.Name) -> ast.AST | None:
        """The scope that binds a name; None when the file does not bind it."""
        return next((scope for scope in self.scopes(name) if self._bound.get((scope, name.id))), None)

    def bind(self, scope: ast.AST, key: str, value: ast.expr) -> None:
        """Records a value of a name."""
        self._bound[scope, key].append(value)

    def calls_of(self, name: str) -> list[ast.Call]:
        """Calls of a function of the file, by its name."""
        return self._calls.get(name, [])

    def once(self, what: str, node: ast.AST, find: Callable[[], Value], *, circle: Value, lost: Value) -> Value:
        """Computes a property of a node once and caches it.

        Args:
            what: the name of the property.
            circle: returned while the same property is being computed; results that depend on it are not cached.
            lost: returned when the file exceeds the limit on steps.
        """
        key = (what, id(node))
        if key in self._known:
            return self._known[key]
        if key in self._open_lookups:
            self._circles += 1
            return circle
        self._steps += 1
        if self._steps > _MOST_STEPS:
            return lost
        before = self._circles
        self._open_lookups.add(key)
        try:
            found = find()
        finally:
            self._open_lookups.discard(key)
        # A result that met a circle depends on where it was entered: cache it only at the outermost call.
        if self._circles == before or not self._open_lookups:
            self._known[key] = found
        return found


def read_names(tree: ast.Module) -> NameTable:
    """Builds the name table of a file."""
    names = NameTable(tree)
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            names.parents[child] = node
    for node in ast.walk(tree):
        _import(node, names, at_top=names.parents.get(node) is tree)
        _bind(node, names)
        if isinstance(node, ast.Call):
            names._calls[last_name(node.func)].append(node)
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            names.used.add(last_name(node))
    return names


def root(node: ast.AST) -> ast.AST:
    """The expression at the beginning of a chain of attributes, calls and subscripts."""
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript | ast.Await | ast.Starred):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node


def is_fixture(function: ast.AST) -> bool:
    """Whether a function is a pytest fixture."""
    marks = getattr(function, "decorator_list", ())
    return any(last_name(mark.func if isinstance(mark, ast.Call) else mark) == "fixture" for mark in marks)


def fixture_names(function: ast.AST) -> set[str]:
    """The names that a fixture's decorator gives it; `?` for one that is not constant."""
    marks = [node for node in getattr(function, "decorator_list", ()) if isinstance(node, ast.Call)]
    given = [
        each.value
        for mark in marks
        if last_name(mark.func) == "fixture"
        for each in mark.keywords
        if each.arg == "name"
    ]
    return {str(given_value.value) if isinstance(given_value, ast.Constant) else "?" for given_value in given}


def returned(function: Function) -> list[ast.expr]:
    """The values that a function returns or yields."""
    if isinstance(function, ast.Lambda):
        return [function.body]
    found = (node for node in ast.walk(function) if isinstance(node, ast.Return | ast.Yield))
    return [node.value for node in found if node.value is not None]


def _import(node: ast.AST, names: NameTable, *, at_top: bool) -> None:
    if isinstance(node, ast.Import):
        bound = {(alias.asname or alias.name.partition(".")[0]): alias for alias in node.names}
        dotted = {name: item.name if item.asname else name for name, item in bound.items()}
    elif isinstance(node, ast.ImportFrom):
        module = f"{'.' * node.level}{node.module or ''}"
        dotted = {alias.asname or alias.name: f"{module}.{alias.name}" for alias in node.names}
    else:
        return
    for name, what in dotted.items():
        names.imported[name].append(what)
        if at_top and isinstance(node, ast.ImportFrom | ast.Import):
            names.sure.setdefault(name, node.lineno)


def _bind(node: ast.AST, names: NameTable) -> None:
    scope = next(names.scopes(node), names.tree)
    if isinstance(node, ast.Assign):
        for target in node.targets:
            _assign(names, scope, target, node.value)
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr | ast.AugAssign):
        _assign(names, scope, node.target, node.value or UNKNOWN)
    elif isinstance(node, ast.For | ast.AsyncFor):
        _loop(names, scope, node.target, node.iter)
    elif isinstance(node, ast.comprehension):
        _loop(names, names.parents[node], node.target, node.iter)
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        _assign(names, scope, node.optional_vars, node.context_expr)
    elif isinstance(node, ast.ExceptHandler) and node.name:
        names.bind(scope, node.name, UNKNOWN)
    else:
        _define(node, names, scope)


def _define(node: ast.AST, names: NameTable, scope: ast.AST) -> None:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        for name in {node.name, *fixture_names(node)}:
            names.functions[name].append(node)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        names.bind(scope, node.name, UNKNOWN)
    if isinstance(node, Function):
        _parameters(names, node)


def _parameters(names: NameTable, function: Function) -> None:
    for node in ast.walk(function.args):
        if isinstance(node, ast.arg):
            names.bind(function, node.arg, UNKNOWN)


def _assign(names: NameTable, scope: ast.AST, target: ast.expr, value: ast.expr) -> None:
    if isinstance(target, ast.Starred):
        _assign(names, scope, target.value, value)
    elif isinstance(target, ast.Tuple | ast.List):
        same = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts)
        parts: Iterable[ast.expr] = value.elts if same and isinstance(value, ast.Tuple | ast.List) else ()
        for item, part in zip(target.elts, parts or [value] * len(target.elts), strict=True):
            _assign(names, scope, item, part)
    elif isinstance(target, ast.Name):
        names.bind(scope, target.id, value)
    elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
        names.bind(names.tree, f"self.{target.attr}", value)


def _loop(names: NameTable, scope: ast.AST, target: ast.expr, over: ast.expr) -> None:
    """Binds a loop's variables to the iterable, element by element where it is a literal."""
    rows = over.elts if isinstance(over, ast.List | ast.Tuple | ast.Set) else [over]
    for row in rows or [UNKNOWN]:
        _assign(names, scope, target, row)


def _key(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        return f"self.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def argument(call: ast.Call, function: Function, name: str, *, method: bool = False) -> ast.expr | None:
    """The value a call passes for a parameter, else the parameter's default, else None."""
    positional = [*function.args.posonlyargs, *function.args.args]
    places = {item.arg: at - int(method) for at, item in enumerate(positional)}
    for given in call.keywords:
        if given.arg == name:
            return given.value
    at = places.get(name)
    if at is not None and 0 <= at < len(call.args) and not any(isinstance(node, ast.Starred) for node in call.args):
        return call.args[at]
    return defaults(function).get(name)


def defaults(function: Function) -> Mapping[str, ast.expr]:
    """The parameters that have a default, with its expression."""
    positional = [*function.args.posonlyargs, *function.args.args]
    given = function.args.defaults
    found = dict(zip((item.arg for item in positional[len(positional) - len(given) :]), given, strict=True))
    for entry, value in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
        if value is not None:
            found[entry.arg] = value
    return found
