"""Tells which refusals the handlers of an application raise on purpose, from their source.

A document that does not declare a 404 is incomplete; a handler that says `raise HTTPException(404)` means it all the
same. Functions, classes and exception handlers that a handler names are read too, in its file and in project modules
that it imports from. A number counts where it is the status of what is raised or answered, and nowhere else. Nothing
is run, and a status that is computed is not found.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from ....utils.python_names import assigned_values, last_name
from ....utils.python_source import parse_or_none
from ....utils.untrusted_files import is_source_file, source_or_empty
from ..model.model import Api
from .refusal_statuses import refusals_in, returned_statuses

_MOST_STEPS = 200
_HANDLERS = ("exception_handler", "errorhandler", "app_errorhandler", "add_exception_handler", "register_error_handler")
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_Named = _Definition | ast.Assign | ast.AnnAssign
"""What a name may stand for; an assignment of a module, such as `Reader = Annotated[User, Depends(get_reader)]`."""


@dataclass(slots=True)
class _File:
    """A module of the project: its definitions, where its imported names come from, and its exception handlers."""

    every: list[_Definition] = field(default_factory=list)
    definitions: dict[str, _Named] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    handlers: dict[str, list[_Named]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Step:
    """A definition that is read for a handler; `answers`: what it returns is the answer."""

    path: str
    node: _Named
    answers: bool


@dataclass(frozen=True, slots=True)
class _Refusals:
    """What one definition refuses with, and which others it names.

    Attributes:
        statuses: of what it raises, and of the responses that it makes.
        returned: of tuples that it returns, which are answers where it is a handler.
        names: what it names, each once; passed_on: functions whose results it returns as they are.
    """

    statuses: frozenset[int]
    returned: frozenset[int]
    names: tuple[str, ...]
    passed_on: frozenset[str]

    @classmethod
    def of(cls, node: _Named, own: frozenset[str]) -> _Refusals:
        """Read a definition; `own` are the names of the project's classes and functions in its file."""
        names = tuple(dict.fromkeys(_names_in(node)))
        return cls(
            frozenset(refusals_in(node, own)), frozenset(returned_statuses(node)), names, frozenset(_passed_on(node))
        )


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
        self._known: dict[int, _Refusals] = {}

    def statuses(self, path: str, lines: tuple[int, int]) -> frozenset[int]:
        """Return the statuses from 400 to 499 that the handler at these lines answers on purpose. Blocks."""
        file = self._file(path) if lines != (1, 1) else None
        start = _definition_at(file.every, lines) if file is not None else None
        if file is None or start is None:
            return frozenset()
        found: set[int] = set()
        queue = deque([_Step(path, start, answers=True)])
        seen: set[tuple[int, bool]] = set()
        while queue and len(seen) < _MOST_STEPS:
            step = queue.popleft()
            key = (id(step.node), step.answers)
            if key in seen:
                continue
            seen.add(key)
            refusals = self._refusals(step)
            found |= refusals.statuses | (refusals.returned if step.answers else frozenset())
            queue += self._named_by(step, refusals, path)
        return frozenset(found)

    def _refusals(self, step: _Step) -> _Refusals:
        """The refusals of a definition, read once: many handlers name the same helpers."""
        if id(step.node) not in self._known:
            file = self._file(step.path)
            own = frozenset((*file.definitions, *file.imports)) if file is not None else frozenset[str]()
            self._known[id(step.node)] = _Refusals.of(step.node, own)
        return self._known[id(step.node)]

    def _named_by(self, step: _Step, refusals: _Refusals, first: str) -> Iterator[_Step]:
        """Yield what a definition names: functions and classes of the project, and handlers of exceptions it raises."""
        file = self._file(step.path)
        if file is None:
            return
        for name in refusals.names:
            answers = step.answers and name in refusals.passed_on
            if name in file.definitions:
                yield _Step(step.path, file.definitions[name], answers)
            elif name in file.imports:
                other, real = file.imports[name]
                there = self._file(other)
                if there is not None and real in there.definitions:
                    yield _Step(other, there.definitions[real], answers)
            for place in dict.fromkeys((step.path, first)):
                around = self._file(place)
                for handler in around.handlers.get(name, ()) if around else ():
                    yield _Step(place, handler, answers=True)

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
        file = _File()
        for node in ast.walk(tree):
            if isinstance(node, _Definition):
                file.every.append(node)
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
        for statement in tree.body:
            if isinstance(statement, ast.Assign | ast.AnnAssign) and isinstance(statement.value, ast.Subscript):
                for name, _ in assigned_values(statement):
                    file.definitions.setdefault(name, statement)
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
                if is_source_file(self._root, self._root / place):
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


def _take_handler(file: _File, call: ast.expr, handler: _Named | None) -> None:
    """Note a handler of an exception: `@app.exception_handler(OutOfStock)`."""
    if handler is None or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return
    name = call.args[0] if call.args and call.func.attr in _HANDLERS else None
    if isinstance(name, ast.Name | ast.Attribute):
        file.handlers.setdefault(last_name(name), []).append(handler)


def _definition_at(found: Sequence[_Definition], lines: tuple[int, int]) -> _Definition | None:
    """Return the function or class of a handler: the outermost that begins within the lines, or around them."""
    within = [node for node in found if lines[0] <= node.lineno <= lines[1]]
    around = [node for node in found if node.lineno <= lines[0] <= (node.end_lineno or node.lineno)]
    return next(iter([*within, *reversed(around)]), None)


def _names_in(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name | ast.Attribute):
            yield last_name(inner)


def _passed_on(node: ast.AST) -> Iterator[str]:
    """Yield the names of functions whose results a function returns as they are."""
    for inner in ast.walk(node):
        value = inner.value if isinstance(inner, ast.Return) else None
        call = value.value if isinstance(value, ast.Await) else value
        if isinstance(call, ast.Call):
            yield last_name(call.func)
