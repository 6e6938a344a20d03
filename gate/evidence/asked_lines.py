"""Finds the lines of a module that tests of some of its functions are judged by."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from ...utils.python_names import dotted_name, last_name
from ...utils.python_source import parse_or_none

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def lines_asked_for(source: str, symbols: Collection[str]) -> frozenset[int] | None:
    """The lines of functions and classes by qualified names, and of private code that may do a part of their work.

    That is the private functions of the module and, where this code or one another names them, private classes, and
    private methods of the classes whose methods are asked for, and of their bases. What other public functions do is
    not what was asked for. None where the source is not Python or has none of the names.
    """
    tree = parse_or_none(source)
    found = list(_definitions(tree)) if tree is not None else []
    chosen = [node for name, node in found if name in symbols]
    if not chosen:
        return None
    asked = [name for name, _ in found if name in symbols]
    owners = _with_bases({*asked, *(name.rpartition(".")[0] for name in asked)}, found)
    waiting = [(owner, node) for owner, node in _private(found) if not owner or owner in owners]
    while waiting:
        named = set[str]().union(*map(_names_in, chosen))
        reached = [one for one in waiting if _is_module_function(*one) or one[1].name in named]
        if not reached:
            break
        chosen += [node for _, node in reached]
        waiting = [one for one in waiting if one not in reached]
    lines = set[int]()
    for node in chosen:
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        lines.update(range(first, (node.end_lineno or node.lineno) + 1))
    return frozenset(lines)


def _private(found: Sequence[tuple[str, _Definition]]) -> Iterator[tuple[str, _Definition]]:
    """The private functions, methods and classes, each with the qualified name of its class ("" for the module)."""
    for name, node in found:
        if node.name.startswith("_") and not node.name.endswith("__"):
            yield name.rpartition(".")[0], node


def _is_module_function(owner: str, node: _Definition) -> bool:
    return not owner and not isinstance(node, ast.ClassDef)


def _with_bases(owners: set[str], found: Sequence[tuple[str, _Definition]]) -> set[str]:
    """Classes with those of the same module that they inherit from."""
    classes = {name: node for name, node in found if isinstance(node, ast.ClassDef)}
    known, new = set[str](), owners & classes.keys()
    while new:
        known |= new
        new = {dotted_name(base) for name in new for base in classes[name].bases} & classes.keys() - known
    return known


def _names_in(node: ast.AST) -> set[str]:
    """Every name and attribute that code reads."""
    return {last_name(one) for one in ast.walk(node)} - {""}


def _definitions(tree: ast.AST, owner: str = "") -> Iterator[tuple[str, _Definition]]:
    """Functions, classes and methods by qualified names; also those in branches of the module (`if`, `try`)."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, _Definition):
            yield f"{owner}{node.name}", node
            if isinstance(node, ast.ClassDef):
                yield from _definitions(node, f"{owner}{node.name}.")
        elif isinstance(node, ast.If | ast.Try):
            yield from _definitions(node, owner)
