"""Splits existing tests and scripts into steps: statements that arrange, one expression that acts."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....utils.python_names import Function, dotted_name

Step = tuple[list[ast.stmt], ast.expr]
_LITERALS = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set)
_MAXIMUM_ROWS = 12
_MAXIMUM_HELPER_LINES = 15
# Context managers of test code whose block holds the acts themselves.
_RAISING = frozenset(
    "raises assertRaises assertRaisesRegex warns assertWarns assertWarnsRegex subTest deprecated_call suppress".split()
)


@dataclass(slots=True)
class TestFile:
    """The fixtures and helpers of a test file.

    Attributes:
        fixtures: functions decorated as pytest fixtures, by name.
        helpers: top-level assignments, functions and classes, by the name they bind.
    """

    __test__ = False
    fixtures: dict[str, Function]
    helpers: dict[str, ast.stmt]


def read_test_file(tree: ast.Module) -> TestFile:
    """Reads the fixtures and helpers of a test file."""
    fixtures: dict[str, Function] = {}
    helpers: dict[str, ast.stmt] = {}
    for node in tree.body:
        if (node.end_lineno or node.lineno) - node.lineno > _MAXIMUM_HELPER_LINES:
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if any("fixture" in ast.unparse(decorator) for decorator in node.decorator_list):
                fixtures[node.name] = node
            elif not node.name.startswith("test"):
                helpers[node.name] = node
        elif isinstance(node, ast.ClassDef) and not node.name.lower().startswith("test"):
            helpers[node.name] = node
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            helpers[node.targets[0].id] = node
    return TestFile(fixtures, helpers)


def test_steps(tree: ast.Module, file: TestFile) -> Iterator[Step]:
    """Yields the steps of every test of a file, in order; each row of a parametrised test gives its own."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
            yield from _function_steps(node, file, [])
        elif isinstance(node, ast.ClassDef):
            yield from _class_steps(node, file)


test_steps.__test__ = False  # pyrefly: ignore[missing-attribute]


def _class_steps(node: ast.ClassDef, file: TestFile) -> Iterator[Step]:
    functions = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)}
    setup: list[ast.stmt] = []
    for name in ("setUpClass", "setup_class", "setUp", "setup_method", "setup"):
        if name in functions:
            setup.extend(functions[name].body)
    for name, function in functions.items():
        if name.startswith("test"):
            yield from _function_steps(function, file, setup)


def _function_steps(node: Function, file: TestFile, setup: list[ast.stmt]) -> Iterator[Step]:
    names = [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    before: list[ast.stmt] = [copy.deepcopy(one) for one in setup]
    for name in names:
        if name in file.fixtures:
            before.extend(_fixture_statements(name, file, 0))
    for row in _rows(node):
        body = [_Substitute(row).visit(copy.deepcopy(statement)) for statement in node.body]
        without_self = [_WithoutSelf().visit(one) for one in (*copy.deepcopy(before), *body)]
        yield from block_steps([], without_self)


def _fixture_statements(name: str, file: TestFile, depth: int) -> list[ast.stmt]:
    """A fixture's body as statements that bind its name; empty when it has other statements than assignments."""
    node = file.fixtures[name]
    found: list[ast.stmt] = []
    for argument in node.args.args:
        if argument.arg in file.fixtures and depth < 3:
            found.extend(_fixture_statements(argument.arg, file, depth + 1))
    for statement in node.body:
        value: ast.expr | None = None
        if isinstance(statement, ast.Return):
            value = statement.value
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield):
            value = statement.value.value
        elif isinstance(statement, ast.Assign | ast.Expr):
            found.append(statement)
            continue
        if value is None:
            return []
        assign = ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())], value=value)
        found.append(ast.fix_missing_locations(ast.copy_location(assign, statement)))
        return found
    return []


def _rows(node: Function) -> list[dict[str, ast.expr]]:
    """The arguments of a parametrised test, row by row; one empty row for a plain test."""
    rows: list[dict[str, ast.expr]] = [{}]
    for decorator in node.decorator_list:
        if not (isinstance(decorator, ast.Call) and dotted_name(decorator.func).endswith("parametrize")):
            continue
        if len(decorator.args) < 2 or not isinstance(decorator.args[1], ast.List | ast.Tuple | ast.Set):
            return []
        names = _names(decorator.args[0])
        own = [found for element in decorator.args[1].elts if (found := _row(names, element)) is not None]
        rows = [{**left, **right} for left in rows for right in own]
    if len(rows) <= _MAXIMUM_ROWS:
        return rows
    # Spread over the table: neighbouring rows are often alike.
    return [rows[index * len(rows) // _MAXIMUM_ROWS] for index in range(_MAXIMUM_ROWS)]


def _names(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant):
        return [part.strip() for part in str(node.value).split(",")]
    if isinstance(node, ast.List | ast.Tuple):
        return [str(element.value) for element in node.elts if isinstance(element, ast.Constant)]
    return []


def _row(names: list[str], node: ast.expr) -> dict[str, ast.expr] | None:
    if isinstance(node, ast.Call) and dotted_name(node.func).endswith("param"):
        values = node.args
    elif len(names) == 1:
        values = [node]
    elif isinstance(node, ast.Tuple | ast.List):
        values = node.elts
    else:
        return None
    return dict(zip(names, values, strict=True)) if len(values) == len(names) else None


def block_steps(before: Sequence[ast.stmt], statements: Sequence[ast.stmt]) -> Iterator[Step]:
    """Yields the steps of a block of statements; `before` precedes all of them."""
    done = list(before)
    for node in statements:
        if isinstance(node, ast.Assert):
            for act in _asserted(node.test):
                yield list(done), act
        elif isinstance(node, ast.Expr):
            for act in _called(node.value):
                yield list(done), act
            done.append(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            if node.value is not None:
                yield list(done), node.value
            done.append(node)
        elif isinstance(node, ast.With | ast.AsyncWith):
            calls = [item.context_expr for item in node.items]
            names = [dotted_name(call.func).rpartition(".")[2] if isinstance(call, ast.Call) else "" for call in calls]
            if all(name in _RAISING for name in names):
                yield from block_steps(done, node.body)
            else:
                yield from ((list(done), item.context_expr) for item in node.items)
                done.append(node)
        elif isinstance(node, ast.For):
            yield from _loop_steps(done, node)
            done.append(node)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Delete | ast.Import | ast.ImportFrom):
            done.append(node)


def _loop_steps(done: list[ast.stmt], node: ast.For) -> Iterator[Step]:
    """Unrolls loops over literal tables."""
    if not isinstance(node.iter, ast.List | ast.Tuple):
        return
    names = [node.target] if isinstance(node.target, ast.Name) else getattr(node.target, "elts", [])
    if not all(isinstance(name, ast.Name) for name in names):
        return
    for value in node.iter.elts[:_MAXIMUM_ROWS]:
        row = _row([name.id for name in names if isinstance(name, ast.Name)], value)
        if row is not None:
            yield from block_steps(done, [_Substitute(row).visit(copy.deepcopy(statement)) for statement in node.body])


def _asserted(test: ast.expr) -> list[ast.expr]:
    """The expressions whose values an assertion checks, without the expected values."""
    if isinstance(test, ast.Compare):
        sides = [test.left, *test.comparators]
        calls = [side for side in sides if not isinstance(side, _LITERALS)]
        return [*calls, *([test] if len(calls) == 2 or isinstance(test.ops[0], ast.In | ast.NotIn) else [])]
    if isinstance(test, ast.UnaryOp):
        return _asserted(test.operand)
    if isinstance(test, ast.BoolOp):
        return [inner for value in test.values for inner in _asserted(value)]
    called = dotted_name(test.func) if isinstance(test, ast.Call) and test.args else ""
    if isinstance(test, ast.Call) and called in ("isinstance", "all", "any", "len", "list", "callable"):
        return [test.args[0], *([test] if called == "len" else [])]
    return [test]


def _called(value: ast.expr) -> list[ast.expr]:
    """The acts of an expression statement: the arguments of an assertion call, else the expression itself."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        name = value.func.attr
        # `assertRaises(Error, function, *args)` calls the function itself.
        if (name.startswith("assertRaises") or name == "raises") and len(value.args) > 1:
            call = ast.Call(func=value.args[1], args=value.args[2:], keywords=value.keywords)
            return [ast.fix_missing_locations(ast.copy_location(call, value))]
        if name.startswith("assert"):
            return [inner for argument in value.args for inner in _asserted(argument)]
    return [value]


class _Substitute(ast.NodeTransformer):
    def __init__(self, row: dict[str, ast.expr]) -> None:
        self._row = row

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and node.id in self._row:
            return copy.deepcopy(self._row[node.id])
        return node


class _WithoutSelf(ast.NodeTransformer):
    """Rewrites `self.cart` of a TestCase as `cart`; calls of its own methods stay as they are."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Attribute) and dotted_name(node.func.value) == "self":
            node.args = [self.visit(argument) for argument in node.args]
            node.keywords = [self.visit(keyword) for keyword in node.keywords]
            return node
        self.generic_visit(node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if dotted_name(node.value) == "self":
            return ast.copy_location(ast.Name(id=node.attr, ctx=node.ctx), node)
        return node
