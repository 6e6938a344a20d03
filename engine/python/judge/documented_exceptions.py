"""Names an exception that a document announces as a test can: by what it can surely import."""

from __future__ import annotations

import ast
import builtins
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import PathFinder

_NOT_TO_IMPORT = frozenset({"antigravity", "idlelib", "test", "this", "turtledemo"})
"""Modules that do something when they are imported, or that a Python may lack."""


def importable_exception(name: str, module: str, tree: ast.Module) -> tuple[str, str] | None:
    """The exception as a test names it, and the statement that imports it ("" for a built-in one).

    One import that fails keeps every test of the file from being collected, so only these are taken: what the module
    binds when it is imported, modules that it imports itself, and those of the standard library.

    Args:
        name: as documented, with or without its module.
        module: the target's.
        tree: the target's.

    Returns:
        None where nobody knows where the exception comes from.
    """
    owner, _, last = name.rpartition(".")
    first = name.partition(".")[0]
    bound = dict(_bound(tree.body))
    if last in bound and (owner in ("", module) or first not in bound):
        return last, f"from {module} import {last}"
    if owner in ("", "builtins"):
        return (last, "") if hasattr(builtins, last) else None
    if first in bound:
        return name, bound[first] or f"from {module} import {first}"
    return (name, f"import {owner}") if _is_standard(owner) else None


def _bound(statements: Sequence[ast.stmt]) -> Iterator[tuple[str, str]]:
    """The names that surely exist after the statements, with the `import` that makes each ("" for any other way)."""
    for node in statements:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0], ast.unparse(ast.Import([alias]))
        elif isinstance(node, ast.ImportFrom):
            yield from ((alias.asname or alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ClassDef):
            yield node.name, ""
        elif isinstance(node, ast.Assign):
            yield from ((target.id, "") for target in node.targets if isinstance(target, ast.Name))


def _is_standard(module: str) -> bool:
    """Whether the standard library has a module of that name, found without importing anything."""
    parts = module.split(".")
    if parts[0] not in sys.stdlib_module_names - _NOT_TO_IMPORT or any(part.startswith("_") for part in parts):
        return False
    spec = importlib.util.find_spec(parts[0])
    for length in range(2, len(parts) + 1):
        places = spec.submodule_search_locations if spec is not None else None
        spec = PathFinder.find_spec(".".join(parts[:length]), places) if places else None
    return spec is not None
