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
    waiting: dict[str, list[_Definition]] = {}
    for owner, node in _private(found):
        if _is_module_function(owner, node):
            chosen.append(node)
        elif not owner or owner in owners:
            waiting.setdefault(node.name, []).append(node)
    reached = list(chosen)
    while reached:
        named = set[str]().union(*map(_names_in, reached))
        reached = [node for name in named & waiting.keys() for node in waiting.pop(name)]
        chosen += reached
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


def _definitions(tree: ast.AST) -> Iterator[tuple[str, _Definition]]:
    """Functions, classes and methods by qualified names; also those in blocks such as `if`, `try` and `with`."""
    waiting = [("", tree)]
    while waiting:
        owner, node = waiting.pop()
        if isinstance(node, _Definition):
            yield f"{owner}{node.name}", node
            owner = f"{owner}{node.name}."
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.expr):
            waiting += [(owner, inner) for inner in reversed(list(ast.iter_child_nodes(node)))]
