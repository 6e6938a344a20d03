"""Resolves what a parameter may be passed and which texts an expression may have, within one file."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import product

from ...utils.python_names import last_name
from .name_table import UNKNOWN, Function, NameTable, argument, is_fixture, returned

_MOST_TEXTS = 200
_DEEPEST = 24
_LITERAL = {"os.sep": "/", "os.path.sep": "/", "os.pardir": "..", "os.path.pardir": "..", "os.curdir": "."}


def possible_values(names: NameTable, node: ast.expr) -> list[ast.expr]:
    """All values that a name or `self.x` may have; includes `UNKNOWN` where the file does not determine them."""
    found = names.values(node)
    if found is None:
        return [UNKNOWN]
    owner = names.owner(node) if isinstance(node, ast.Name) else None
    if isinstance(owner, Function) and isinstance(node, ast.Name) and node.id in _parameters(owner):
        given = [found_item for found_item in found if found_item is not UNKNOWN]
        return [*given, *argument_values(names, owner, node.id)]
    return found


def argument_values(names: NameTable, function: Function, name: str) -> list[ast.expr]:
    """Values passed for a parameter: by parametrization, by a fixture of the file, or by calls in the file."""
    if isinstance(function, ast.Lambda):
        return [UNKNOWN]
    if not function.name.startswith("test") and not is_fixture(function):
        return _by_calls(names, function, name)
    around = names.parents.get(function)
    marks = [*function.decorator_list, *(around.decorator_list if isinstance(around, ast.ClassDef) else ())]
    rows = list(_rows(marks, name))
    if rows:
        return rows
    called = _by_calls(names, function, name) if function.name in names.used and not is_fixture(function) else []
    fixtures = [item for item in names.functions.get(name, ()) if is_fixture(item)]
    values = [value for fixture in fixtures for value in returned(fixture)]
    return [*called, *values] or [UNKNOWN]


def possible_texts(names: NameTable, node: ast.expr, depth: int = 0) -> set[str] | None:
    """The texts an expression may evaluate to; None when the file does not determine them."""
    if depth > _DEEPEST or node is UNKNOWN:
        return None
    return names.once("texts", node, lambda: _texts(names, node, depth), circle=None, lost=None)


def _texts(names: NameTable, node: ast.expr, depth: int) -> set[str] | None:
    if isinstance(node, ast.Constant):
        return {node.value} if isinstance(node.value, str) else None
    if isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and names.values(node)):
        return _union(names, possible_values(names, node), depth)
    literal = next((_LITERAL[dotted_name] for dotted_name in names.dotted(node) if dotted_name in _LITERAL), None)
    if literal is not None:
        return {literal}
    if _joins(node):
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Attribute)
        return _put_together(names, node.func.value, node.args[0], depth)
    if isinstance(node, ast.IfExp):
        return _union(names, [node.body, node.orelse], depth)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _joined([possible_texts(names, node.left, depth + 1), possible_texts(names, node.right, depth + 1)])
    if isinstance(node, ast.JoinedStr):
        return _joined([possible_texts(names, value, depth + 1) for value in node.values])
    if isinstance(node, ast.FormattedValue) and node.conversion == -1 and node.format_spec is None:
        return possible_texts(names, node.value, depth + 1)
    return None


def _joins(node: ast.expr) -> bool:
    """Whether an expression is `"".join([...])` with literal parts."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "join":
        return False
    return len(node.args) == 1 and isinstance(node.args[0], ast.List | ast.Tuple)


def _put_together(names: NameTable, between: ast.expr, parts: ast.expr, depth: int) -> set[str] | None:
    given = parts.elts if isinstance(parts, ast.List | ast.Tuple) else []
    return _joined([possible_texts(names, item, depth + 1) for part in given for item in (between, part)][1:])


def _union(names: NameTable, nodes: list[ast.expr], depth: int) -> set[str] | None:
    found: set[str] = set()
    for node in nodes:
        # The variable of a loop is bound to the list, so the list counts as its elements.
        parts = node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) else [node]
        for part in parts:
            texts = possible_texts(names, part, depth + 1)
            if texts is None or len(found) > _MOST_TEXTS:
                return None
            found |= texts
    return found


def _joined(parts: list[set[str] | None]) -> set[str] | None:
    known = [part for part in parts if part is not None]
    size = 1
    for item in known:
        size *= len(item)
    if len(known) < len(parts) or size > _MOST_TEXTS:
        return None
    return {"".join(item) for item in product(*known)}


def is_foreign_fixture(names: NameTable, node: ast.Name) -> bool:
    """Whether a name is a fixture that the file does not define: pytest's own, or the project's."""
    owner = names.owner(node)
    if not isinstance(owner, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    # pytest forbids calling a fixture; a test function could be called with any value.
    is_injected = is_fixture(owner) or (owner.name.startswith("test") and owner.name not in names.used)
    return is_injected and possible_values(names, node) == [UNKNOWN] and not names.functions.get(node.id)


def _rows(marks: list[ast.expr], name: str) -> Iterator[ast.expr]:
    for mark in marks:
        if not isinstance(mark, ast.Call) or last_name(mark.func) != "parametrize" or len(mark.args) < 2:
            continue
        named, given = mark.args[0], mark.args[1]
        columns = _columns(named)
        if name not in columns:
            continue
        if not isinstance(given, ast.List | ast.Tuple | ast.Set):
            yield UNKNOWN
            continue
        for row in given.elts:
            yield _cell(row, columns.index(name), len(columns))


def _columns(named: ast.expr) -> list[str]:
    if isinstance(named, ast.Constant) and isinstance(named.value, str):
        return [part.strip() for part in named.value.split(",")]
    if isinstance(named, ast.List | ast.Tuple):
        return [str(element.value) for element in named.elts if isinstance(element, ast.Constant)]
    return []


def _cell(row: ast.expr, at: int, columns: int) -> ast.expr:
    if isinstance(row, ast.Call) and last_name(row.func) == "param":
        cells: list[ast.expr] = list(row.args)
    elif columns > 1 and isinstance(row, ast.Tuple | ast.List):
        cells = list(row.elts)
    else:
        cells = [row]
    return cells[at] if at < len(cells) else UNKNOWN


def _by_calls(names: NameTable, function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> list[ast.expr]:
    method = isinstance(names.parents.get(function), ast.ClassDef)
    if method and name in ("self", "cls"):
        return [UNKNOWN]
    given = [argument(call, function, name, method=method) or UNKNOWN for call in names.calls_of(function.name)]
    return given or [UNKNOWN]


def _parameters(function: Function) -> set[str]:
    return {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
