"""Names an exception that a document announces as a test can: by what it can surely import."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from .standard_exceptions import is_builtin_exception, is_standard, is_standard_exception


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
        return (last, "") if is_builtin_exception(last) else None
    if first in bound:
        owner = _imported(bound[first], owner)
        unknown = is_standard(owner) and not is_standard_exception(owner, last)
        return None if unknown else (name, bound[first] or f"from {module} import {first}")
    return (name, f"import {owner}") if is_standard_exception(owner, last) else None


def _imported(statement: str, owner: str) -> str:
    """The full name of a module that code calls by the name that an `import` binds; "" where none binds it."""
    alias = statement.removeprefix("import ")
    full, _, short = alias.partition(" as ")
    return f"{full}{owner.removeprefix(short)}" if short else owner if statement else ""


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
