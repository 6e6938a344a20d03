"""Functions of a module by the syntax tree: which lines they have, and a module with functions of another version."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence


def body_lines(source: str, names: Sequence[str]) -> dict[str, frozenset[int]]:
    """Lines of the bodies of functions, by name; a name of a class stands for all its methods.

    A name that is defined more than once (in branches, or as overloads) has the lines of all of them; one that is not
    there has none.

    Args:
        source: text of the module.
        names: `function` or `Class.method`.
    """
    found: dict[str, set[int]] = {name: set() for name in names}
    for qualname, node in _definitions(ast.parse(source), ""):
        for name in names:
            if qualname == name or qualname.startswith(f"{name}."):
                first, last = node.body[0].lineno, node.end_lineno or node.body[-1].lineno
                found[name] |= set(range(first, last + 1))
    return {name: frozenset(lines) for name, lines in found.items()}


def _definitions(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Functions and methods below a node, also those in branches of it, with their qualified names."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from _definitions(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{prefix}{child.name}", child
        else:
            yield from _definitions(child, prefix)


def with_bodies_of(source: str, other: str, names: Sequence[str]) -> str | None:
    """A module in which some functions are those of another version of it; None where that cannot be done.

    Args:
        source, other: text of the module in both versions.
        names: `function` or `Class.method`; each has to be defined once in both.
    """
    here, there = _spans(source, names), _spans(other, names)
    if here is None or there is None:
        return None
    lines, taken = source.splitlines(keepends=True), other.splitlines(keepends=True)
    for name in sorted(names, key=lambda one: here[one], reverse=True):
        first, last = there[name]
        lines[here[name][0] - 1 : here[name][1]] = [*taken[first - 1 : last - 1], taken[last - 1].rstrip() + "\n"]
    return "".join(lines)


def _spans(source: str, names: Sequence[str]) -> dict[str, tuple[int, int]] | None:
    """First and last line of each function with its decorators; None where one is not defined exactly once."""
    found: dict[str, tuple[int, int]] = {}
    for qualname, node in _definitions(ast.parse(source), ""):
        if qualname in names:
            if qualname in found:
                return None
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            found[qualname] = (first, node.end_lineno or node.body[-1].lineno)
    return found if len(found) == len(names) else None
