"""Splits a value's source into its fields, keys and elements, so that one varying part leaves the others assertable."""

from __future__ import annotations

import ast
import re

from ....utils.python_names import names_of
from ....utils.python_source import expression_or_none
from ..model.model import Value

_DEEPEST = 3
_MOST_PARTS = 40
_PRIVATE = re.compile(r"(?:^|\.)_")
_BINDS = re.compile(r"(?:as|import)\s+(\w+)(?:\.\w+)*$")


def parts_of(value: Value) -> dict[str, Value]:
    """Returns the parts of a value by accessor (`total`, `['id']`, `[0].name`), outer ones before inner ones.

    Parts are the keyword arguments of a constructor call, the items of a dictionary with constant keys, and the
    elements of a list or tuple; at most three levels deep. A value without such a source has none.
    """
    node = expression_or_none(value.source) if value.source is not None else None
    found: dict[str, Value] = {}
    if node is not None:
        _collect(node, "", value, found, _DEEPEST)
    return found


def accessor_joined(expression: str, accessor: str) -> str:
    """Returns the expression that reads a part: `result.total`, `result['id']`."""
    return f"{expression}{accessor}" if accessor.startswith("[") else f"{expression}.{accessor}"


def is_private_part(accessor: str) -> bool:
    """Whether an accessor reads an attribute that starts with an underscore."""
    return _PRIVATE.search(accessor) is not None


def shared_parts(one: Value, other: Value) -> tuple[tuple[tuple[str, Value], ...], tuple[str, ...]]:
    """Returns the outermost parts that two differing values share, and the accessors of those that differ.

    Nothing is shared by values of different shapes: another class, other keys, another length.
    """
    mine, theirs = parts_of(one), parts_of(other)
    shared: list[tuple[str, Value]] = []
    differing: list[str] = []
    if not mine or not _same_shape(one, other):
        return (), ()
    for accessor, value in mine.items():
        if any(_is_inside(accessor, outer) for outer, _ in shared):
            continue
        if any(_is_inside(accessor, outer) for outer in differing) and accessor not in theirs:
            continue
        found = theirs.get(accessor)
        if found is not None and found.source == value.source:
            shared.append((accessor, value))
        elif found is not None and _same_shape(value, found):
            continue  # its own parts are compared one by one
        elif not any(_is_inside(accessor, outer) for outer in differing):
            differing.append(accessor)
    return tuple(shared), tuple(differing)


def _is_inside(accessor: str, outer: str) -> bool:
    return accessor.startswith((f"{outer}.", f"{outer}["))


def _same_shape(one: Value, other: Value) -> bool:
    """Whether both sources are calls of one class with the same arguments, or collections with the same keys."""
    left, right = (expression_or_none(item.source or "None") for item in (one, other))
    if isinstance(left, ast.Call) and isinstance(right, ast.Call):
        same_class = ast.dump(left.func) == ast.dump(right.func)
        return same_class and _keywords(left) == _keywords(right) and bool(left.keywords) and not left.args
    if isinstance(left, ast.Dict) and isinstance(right, ast.Dict):
        return bool(left.keys) and [*map(_key, left.keys)] == [*map(_key, right.keys)]
    if isinstance(left, ast.List | ast.Tuple) and type(left) is type(right):
        return bool(left.elts) and len(left.elts) == len(right.elts)  # pyrefly: ignore[missing-attribute]
    return False


def _keywords(call: ast.Call) -> list[str | None]:
    return [keyword.arg for keyword in call.keywords]


def _key(node: ast.expr | None) -> str:
    return ast.unparse(node) if node is not None else "**"


def _collect(node: ast.expr, accessor: str, whole: Value, found: dict[str, Value], depth: int) -> None:
    if not depth:
        return
    for step, part in _steps(node):
        if len(found) >= _MOST_PARTS:
            return
        path = f"{accessor}{step}" if step.startswith("[") or not accessor else f"{accessor}.{step}"
        found[path] = _part(part, whole)
        _collect(part, path, whole, found, depth - 1)


def _steps(node: ast.expr) -> list[tuple[str, ast.expr]]:
    if isinstance(node, ast.Call) and not node.args:
        return [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg]
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return [(f"[{ast.unparse(key)}]", item) for key, item in pairs if isinstance(key, ast.Constant)]
    if isinstance(node, ast.List | ast.Tuple):
        return [(f"[{index}]", item) for index, item in enumerate(node.elts)]
    return []


def _part(node: ast.expr, whole: Value) -> Value:
    """Returns a part as a value of its own, with the imports that its own source needs."""
    names = names_of(node)
    imports = tuple(text for text in whole.imports if (bound := _BINDS.search(text)) and bound[1] in names)
    dotted = tuple(text for text in whole.imports if text.startswith("import ") and text[7:].partition(".")[0] in names)
    is_float = any(isinstance(item, ast.Constant) and isinstance(item.value, float) for item in ast.walk(node))
    type_name = type(node.value).__name__ if isinstance(node, ast.Constant) else type(node).__name__.lower()
    return Value(
        type_name,
        ast.unparse(node),
        imports=tuple(dict.fromkeys((*imports, *dotted))),
        approximate=whole.approximate and is_float,
        unordered=whole.unordered and isinstance(node, ast.Set),
    )
