"""Looks exceptions of Python and of its standard library up, without importing any of it."""

from __future__ import annotations

import ast
import builtins
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ....utils.python_names import dotted_name
from ....utils.python_source import parse_or_none
from ....utils.untrusted_files import read_bytes

_NOT_TO_IMPORT = frozenset({"antigravity", "idlelib", "test", "this", "turtledemo"})
"""Modules that do something when they are imported, or that a Python may lack."""
_WITHOUT_SOURCE: Mapping[str, frozenset[str]] = {
    "_io": frozenset({"UnsupportedOperation"}),
    "_locale": frozenset({"Error"}),
    "_lzma": frozenset({"LZMAError"}),
    "_signal": frozenset({"ItimerError"}),
    "_socket": frozenset({"error", "gaierror", "herror", "timeout"}),
    "_sqlite3": frozenset(
        {
            *("DataError", "DatabaseError", "Error", "IntegrityError", "InterfaceError", "InternalError"),
            *("NotSupportedError", "OperationalError", "ProgrammingError", "Warning"),
        }
    ),
    "_struct": frozenset({"error"}),
    "binascii": frozenset({"Error", "Incomplete"}),
    "multiprocessing": frozenset({"AuthenticationError", "BufferTooShort", "ProcessError", "TimeoutError"}),
    "nt": frozenset({"error"}),
    "posix": frozenset({"error"}),
    "pyexpat": frozenset({"ExpatError", "error"}),
    "select": frozenset({"error"}),
    "zlib": frozenset({"error"}),
}
"""The exceptions of modules that have no source, or whose source does not name them."""
_SUFFIXES = ("error", "exception", "warning")


def is_builtin_exception(name: str) -> bool:
    """Whether a built-in name is that of an exception."""
    found = getattr(builtins, name, None)
    return isinstance(found, type) and issubclass(found, BaseException)


def is_standard(module: str) -> bool:
    """Whether a module, by its dotted name, is one of the standard library."""
    return module.partition(".")[0] in sys.stdlib_module_names


def is_standard_exception(module: str, name: str) -> bool:
    """Whether a public module of the standard library has an exception of that name."""
    parts = module.split(".")
    if not is_standard(module) or parts[0] in _NOT_TO_IMPORT or any(part.startswith("_") for part in parts):
        return False
    return _Search().finds(module, name)


@dataclass(frozen=True, slots=True)
class _Module:
    """What a module binds when it is imported: names with what each is bound to, and modules whose names it takes."""

    bindings: Mapping[str, list[ast.expr | ast.ClassDef | tuple[str, str]]]
    taken: tuple[str, ...]


class _Search:
    """One search, through assignments, base classes and imports; it looks at no name twice."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, str]] = set()

    def finds(self, module: str, name: str) -> bool:
        """Whether the name of the module is that of an exception."""
        if (module, name) in self._seen:
            return False
        self._seen.add((module, name))
        if name in _WITHOUT_SOURCE.get(module, ()):
            return True
        found = _read(module)
        if found is None:
            return False
        if any(self._is_exception(module, bound) for bound in found.bindings.get(name, ())):
            return True
        return any(self.finds(other, name) for other in found.taken if not name.startswith("_"))

    def _is_exception(self, module: str, bound: ast.expr | ast.ClassDef | tuple[str, str]) -> bool:
        if isinstance(bound, ast.ClassDef):
            return any(self._is_exception(module, base) for base in bound.bases)
        if isinstance(bound, ast.expr):
            owner, _, name = dotted_name(bound).rpartition(".")
            if not owner:
                return self.finds(module, name) or is_builtin_exception(name)
            return any(self.finds(other, name) for other in _modules_named(module, owner))
        other, name = bound
        compiled = _read(other) is None and name.lower().endswith(_SUFFIXES)
        return compiled or self.finds(other, name)


def _modules_named(module: str, name: str) -> Iterator[str]:
    """The modules that a name of a module may stand for."""
    found = _read(module)
    for bound in found.bindings.get(name, ()) if found is not None else ():
        if isinstance(bound, tuple):
            yield ".".join(filter(None, bound))


@lru_cache(maxsize=256)
def _read(module: str) -> _Module | None:
    """What a module of the standard library binds, in whatever branch; None where it has no source."""
    place = module.replace(".", "/")
    package = _tree_of(f"{place}/__init__.py")
    tree = package or _tree_of(f"{place}.py")
    if tree is None:
        return None
    bindings: dict[str, list[ast.expr | ast.ClassDef | tuple[str, str]]] = {}
    taken: list[str] = []
    for node in _statements(tree):
        if isinstance(node, ast.ClassDef):
            bindings.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                bindings.setdefault(dotted_name(target), []).append(node.value)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                bindings.setdefault(alias.asname or alias.name, []).append((alias.name, ""))
        elif isinstance(node, ast.ImportFrom):
            source = _imported_from(node, module, is_package=package is not None)
            for alias in node.names:
                if alias.name == "*":
                    taken.append(source)
                else:
                    bindings.setdefault(alias.asname or alias.name, []).append((source, alias.name))
    return _Module(bindings, tuple(taken))


def _tree_of(name: str) -> ast.Module | None:
    """The syntax tree of a file of the standard library; None where it has none of that name."""
    try:
        return parse_or_none(read_bytes(Path(sysconfig.get_paths()["stdlib"]), name))
    except OSError:
        return None


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """The statements of a module that run when it is imported, without those of its classes."""
    for node in ast.iter_child_nodes(tree):
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
            yield from _statements(node)


def _imported_from(node: ast.ImportFrom, module: str, *, is_package: bool) -> str:
    """The module of a `from … import`, by its full name."""
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    owners = parts[: len(parts) - node.level + is_package]
    return ".".join([*owners, *filter(None, [node.module])])
