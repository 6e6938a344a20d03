"""Tells which refusals the handlers of an application raise on purpose, from their source.

A document that does not declare a 404 is incomplete; a handler that says `raise HTTPException(404)` means it all the
same. Functions, classes and exception handlers that a handler names are read too, in its file and in project modules
that it imports from. Nothing is run, and a status that is computed is not found.
"""

from __future__ import annotations

import ast
import http
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from ....utils.python_names import last_name
from ....utils.python_source import parse_or_none
from ....utils.untrusted_files import is_source_file, source_or_empty
from ..model.model import Api

_MOST_STEPS = 200
_NAMED = {
    **{status.name: status.value for status in http.HTTPStatus},
    "Http404": 404,
    "get_object_or_404": 404,
    "get_list_or_404": 404,
    "first_or_404": 404,
    "get_or_404": 404,
    "one_or_404": 404,
    "HttpResponseBadRequest": 400,
    "HttpResponseForbidden": 403,
    "HttpResponseNotFound": 404,
    "HttpResponseGone": 410,
    "NotFound": 404,
    "BadRequest": 400,
    "Unauthorized": 401,
    "Forbidden": 403,
    "PermissionDenied": 403,
    "Conflict": 409,
    "Gone": 410,
}
_CODE = re.compile(r"HTTP_(4\d\d)(_|$)")
_HANDLERS = ("exception_handler", "errorhandler", "app_errorhandler", "add_exception_handler", "register_error_handler")
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(slots=True)
class _File:
    """A module of the project: its definitions, where its imported names come from, and its exception handlers."""

    tree: ast.Module
    definitions: dict[str, _Definition] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    handlers: dict[str, list[ast.AST]] = field(default_factory=dict)


class DeliberateRefusals:
    """Reads the files of one project, each once.

    Args:
        root: the project.
        import_roots: folders in it that modules are imported from.
    """

    def __init__(self, root: Path, import_roots: tuple[str, ...]) -> None:
        self._root = root
        self._import_roots = import_roots
        self._files: dict[str, _File | None] = {}

    def statuses(self, path: str, lines: tuple[int, int]) -> frozenset[int]:
        """Return the statuses from 400 to 499 that the handler at these lines answers on purpose. Blocks."""
        file = self._file(path) if lines != (1, 1) else None
        start = _definition_at(file.tree, lines) if file is not None else None
        if file is None or start is None:
            return frozenset()
        found: set[int] = set()
        queue: list[tuple[str, ast.AST]] = [(path, start)]
        seen: set[int] = set()
        while queue and len(seen) < _MOST_STEPS:
            place, node = queue.pop(0)
            if id(node) in seen:
                continue
            seen.add(id(node))
            found |= set(_statuses_in(node))
            queue += self._named_by(place, node, path)
        return frozenset(found)

    def _named_by(self, path: str, node: ast.AST, first: str) -> Iterator[tuple[str, ast.AST]]:
        """Yield what a definition names: functions and classes of the project, and handlers of exceptions it raises."""
        file = self._file(path)
        if file is None:
            return
        for name in dict.fromkeys(_names_in(node)):
            if name in file.definitions:
                yield path, file.definitions[name]
            elif name in file.imports:
                other, real = file.imports[name]
                there = self._file(other)
                if there is not None and real in there.definitions:
                    yield other, there.definitions[real]
            for place in dict.fromkeys((path, first)):
                around = self._file(place)
                yield from ((place, handler) for handler in (around.handlers.get(name, ()) if around else ()))

    def _file(self, path: str) -> _File | None:
        if path not in self._files:
            self._files[path] = None  # an import that leads back here finds nothing meanwhile
            tree = self._tree(path)
            self._files[path] = None if tree is None else self._read(tree, path)
        return self._files[path]

    def _tree(self, path: str) -> ast.Module | None:
        if not path.endswith(".py") or not is_source_file(self._root, self._root / path):
            return None
        return parse_or_none(source_or_empty(self._root, path))

    def _read(self, tree: ast.Module, path: str) -> _File:
        file = _File(tree)
        for node in ast.walk(tree):
            if isinstance(node, _Definition):
                file.definitions.setdefault(node.name, node)
                for decorator in node.decorator_list:
                    _take_handler(file, decorator, node)
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    place = self._place_of(node, alias.name, path)
                    if place:
                        file.imports[alias.asname or alias.name] = (place, alias.name)
            elif isinstance(node, ast.Call) and len(node.args) == 2 and isinstance(node.args[1], ast.Name):
                handler = node.args[1].id
                _take_handler(file, node, file.definitions.get(handler))
        return file

    def _place_of(self, node: ast.ImportFrom, name: str, path: str) -> str:
        """Return the file of the project that a name is imported from; empty for one of an installed package."""
        parts = tuple((node.module or "").split(".")) if node.module else ()
        bases = [PurePosixPath(root) for root in self._import_roots]
        if node.level:
            folder = PurePosixPath(path).parents[node.level - 1 : node.level]
            bases = list(folder)
        for base in bases:
            # `from shop import orders` names a module, `from shop.orders import get` a function.
            whole = base.joinpath(*parts, name)
            beside = [whole.parent.with_suffix(".py")] if whole.parent.name else []
            for place in (*beside, whole.parent / "__init__.py", whole.with_suffix(".py")):
                if (self._root / place).is_file():
                    return place.as_posix()
        return ""


def with_deliberate_refusals(api: Api, root: Path, import_roots: tuple[str, ...]) -> Api:
    """Add to each operation whose handler is known the statuses that it answers on purpose. Blocks."""
    refusals = DeliberateRefusals(root, import_roots)
    operations = [
        replace(operation, deliberate=refusals.statuses(operation.source, operation.lines))
        for operation in api.operations
    ]
    return replace(api, operations=tuple(operations))


def _take_handler(file: _File, call: ast.expr, handler: ast.AST | None) -> None:
    """Note a handler of an exception: `@app.exception_handler(OutOfStock)`."""
    if handler is None or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return
    name = call.args[0] if call.args and call.func.attr in _HANDLERS else None
    if isinstance(name, ast.Name | ast.Attribute):
        file.handlers.setdefault(last_name(name), []).append(handler)


def _definition_at(tree: ast.Module, lines: tuple[int, int]) -> _Definition | None:
    """Return the function or class of a handler: the outermost that begins within the lines, or around them."""
    found = [node for node in ast.walk(tree) if isinstance(node, _Definition)]
    within = [node for node in found if lines[0] <= node.lineno <= lines[1]]
    around = [node for node in found if node.lineno <= lines[0] <= (node.end_lineno or node.lineno)]
    return next(iter([*within, *reversed(around)]), None)


def _statuses_in(node: ast.AST) -> Iterator[int]:
    """Yield statuses that a `raise`, a `return`, a call or a class says."""
    classes = isinstance(node, ast.ClassDef)
    for inner in ast.walk(node):
        if isinstance(inner, ast.Raise | ast.Return | ast.Call) or (classes and isinstance(inner, ast.Assign)):
            for part in ast.walk(inner):
                yield from _status_of(part)


def _status_of(node: ast.AST) -> Iterator[int]:
    value: object = None
    if isinstance(node, ast.Constant) and type(node.value) is int:
        value = node.value
    elif isinstance(node, ast.Name | ast.Attribute):
        name = last_name(node)
        code = _CODE.match(name)
        value = int(code.group(1)) if code else _NAMED.get(name)
    if isinstance(value, int) and 400 <= value < 500:
        yield value


def _names_in(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name | ast.Attribute):
            yield last_name(inner)
