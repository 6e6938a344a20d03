"""Summarizes what a test asserts, from its syntax tree; the repair guard compares two such summaries."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from ...utils.python_names import last_name
from .assertion_strength import EXACT, NOTHING, Bindings, assertion_strength, call_strength, depends_on_code, tolerances

TestNode = ast.FunctionDef | ast.AsyncFunctionDef

_CASE_ID = re.compile(r"\btc_[a-z0-9_]+")
_RAISING = {"raises", "assertRaises", "assertRaisesRegex", "warns", "assertWarns", "assertWarnsRegex"}
_WIDE = {"Exception", "BaseException", "Warning"}
_SKIPS = {"skip", "skipif", "skipIf", "skipUnless", "xfail", "expectedFailure", "skipTest", "importorskip", "SkipTest"}
_GUARDING = (
    ast.If | ast.For | ast.AsyncFor | ast.While | ast.Try | ast.TryStar | ast.FunctionDef | ast.AsyncFunctionDef
) | ast.ClassDef
_LEAVING = ast.Return | ast.Break | ast.Continue


@dataclass(slots=True)
class AssertionSummary:
    """The assertions of one test.

    Attributes:
        strengths: of its assertions, strongest first.
        wide: exceptions expected as `Exception` or the like; unmatched: those expected without their message.
        raised: the exceptions each expectation of one admits.
        skips, swallows, conditional: marks that skip; handlers that swallow; assertions that need not be reached.
        tolerances: of nearly equal values, widest first.
        rows: how many parametrised rows it runs with.
        run: whether the framework runs it at all.
    """

    name: str
    line: int
    case_ids: tuple[str, ...] = ()
    strengths: list[int] = field(default_factory=list)
    wide: int = 0
    unmatched: int = 0
    raised: list[tuple[str, ...]] = field(default_factory=list)
    skips: int = 0
    swallows: int = 0
    conditional: int = 0
    tolerances: list[float] = field(default_factory=list)
    rows: int = 1
    run: bool = True


def list_tests(tree: ast.Module) -> list[TestNode]:
    """Lists all test functions and methods in source order."""
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return sorted(
        (function for function in functions if function.name.startswith("test")), key=lambda inner: inner.lineno
    )


def summarize_assertions(test: TestNode, owner_marks: int = 0, *, run: bool = True) -> AssertionSummary:
    """Summarizes a test's assertions. `owner_marks` counts skip marks of its class; `run`: whether it is collected."""
    ids = _CASE_ID.findall(ast.get_docstring(test) or "")
    ids += [str(item.value) for mark in test.decorator_list for item in _row_ids(mark)]
    found = AssertionSummary(
        test.name, test.lineno, tuple(dict.fromkeys(ids)), skips=owner_marks + skips_in(test), run=run
    )
    found.rows = _rows(test)
    bound: dict[str, ast.expr] = {}
    for node, sure in _walk(test.body, True):
        if isinstance(node, ast.Assert):
            found.strengths.append(assertion_strength(node.test, bound))
            found.conditional += not sure
            found.tolerances += tolerances(node.test)
        elif isinstance(node, ast.Call):
            power = _call(node, found, bound)
            if power is not None:
                found.strengths.append(power)
                found.conditional += not sure
        elif isinstance(node, ast.withitem | ast.Assign | ast.AnnAssign | ast.NamedExpr | ast.AugAssign):
            _bind(node, bound)
        elif isinstance(node, ast.With | ast.AsyncWith):
            _discount_empty_block(node, found, bound)
        elif isinstance(node, ast.ExceptHandler):
            found.swallows += 1
        elif isinstance(node, ast.Yield | ast.YieldFrom):
            found.conditional += 1
    found.strengths.sort(reverse=True)
    found.tolerances.sort(reverse=True)
    return found


def skips_in(node: ast.AST) -> int:
    """Counts marks and calls that skip or expect failure, and assignments to `__test__`."""
    count = 0
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute | ast.Name):
            count += last_name(inner) in _SKIPS or (last_name(inner) == "__test__" and isinstance(inner.ctx, ast.Store))
    return count


def _walk(body: list[ast.stmt], sure: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Yields the nodes of statements in order, with whether each is certainly reached: not in a branch or after a
    return.
    """
    for statement in body:
        inner = [name for name in ("body", "orelse", "finalbody") if isinstance(getattr(statement, name, None), list)]
        if isinstance(statement, ast.Match):
            yield from ((node, False) for node in ast.walk(statement))
        elif not inner:
            yield from _expressions(statement, sure)
        else:
            for item in _head(statement):
                yield from _expressions(item, sure)
            if isinstance(statement, ast.With | ast.AsyncWith):
                yield statement, sure
            # Bodies of branches, loops, handlers and nested functions need not run.
            guarded = isinstance(statement, _GUARDING)
            for name in inner:
                yield from _walk(cast("list[ast.stmt]", getattr(statement, name)), sure and not guarded)
            for handler in getattr(statement, "handlers", ()):
                yield handler, sure
                yield from _walk(handler.body, False)
        if _leaves(statement):
            sure = False


def _expressions(node: ast.AST, sure: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Yields a statement's nodes; what `and`, a lambda or a comprehension may skip is not certainly reached."""
    for child in ast.iter_child_nodes(node):
        skipped = isinstance(node, ast.Lambda | ast.IfExp | ast.comprehension | ast.ListComp | ast.GeneratorExp)
        skipped |= isinstance(node, ast.BoolOp) and child is not node.values[0]
        yield from _expressions(child, sure and not skipped)
    yield node, sure


def _leaves(statement: ast.stmt) -> bool:
    """Whether a statement may leave the test, or a loop around it, early."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return False
    if isinstance(statement, _LEAVING):
        return True
    children = (child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.stmt | ast.ExceptHandler))
    return any(_leaves(child) if isinstance(child, ast.stmt) else any(map(_leaves, child.body)) for child in children)


def _head(statement: ast.stmt) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(statement):
        if name in ("body", "orelse", "finalbody", "handlers"):
            continue
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST):
                yield node


def _bind(node: ast.AST, bound: dict[str, ast.expr]) -> None:
    """Records what a name is bound to from this statement on."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        bound[node.targets[0].id] = node.value
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and isinstance(node.target, ast.Name) and node.value:
        bound[node.target.id] = node.value
    elif isinstance(node, ast.withitem):
        if isinstance(node.optional_vars, ast.Name):
            bound[node.optional_vars.id] = node.context_expr
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        before = bound.get(node.target.id, ast.Name(node.target.id, ast.Load()))
        bound[node.target.id] = ast.BinOp(before, node.op, node.value)
    elif isinstance(node, ast.Assign):
        for name in (inner for target in node.targets for inner in ast.walk(target) if isinstance(inner, ast.Name)):
            if isinstance(name.ctx, ast.Store):
                bound[name.id] = node.value


def _call(call: ast.Call, found: AssertionSummary, bound: Bindings) -> int | None:
    """Rates a call that asserts; None for any other."""
    name = last_name(call.func)
    if name == "suppress":
        found.swallows += 1
        return None
    if name not in _RAISING:
        if name == "assertAlmostEqual":
            found.tolerances += tolerances(call)
        return call_strength(call, bound)
    expected = _each(call.args[0]) if call.args else []
    found.wide += any(last_name(item) in _WIDE for item in expected)
    found.raised.append(tuple(last_name(item) for item in expected))
    matched = name.endswith("Regex") or any(keyword.arg == "match" for keyword in call.keywords)
    found.unmatched += not matched
    return EXACT


def _discount_empty_block(block: ast.With | ast.AsyncWith, found: AssertionSummary, bound: Bindings) -> None:
    """Rates an expected exception as NOTHING if the test raises it itself, or calls nothing that could."""
    expected = [item.context_expr for item in block.items if isinstance(item.context_expr, ast.Call)]
    if not any(last_name(node.func) in _RAISING for node in expected):
        return
    raises = any(isinstance(node, ast.Raise) for statement in block.body for node in ast.walk(statement))
    if (raises or not any(depends_on_code(statement, bound) for statement in block.body)) and EXACT in found.strengths:
        found.strengths.remove(EXACT)
        found.strengths.append(NOTHING)


def _row_ids(mark: ast.expr) -> Iterator[ast.Constant]:
    for node in ast.walk(mark):
        if isinstance(node, ast.keyword) and node.arg == "id" and isinstance(node.value, ast.Constant):
            yield node.value


def _rows(test: TestNode) -> int:
    """Counts the rows a test is parametrized with; several tables multiply."""
    count = 1
    for mark in test.decorator_list:
        if isinstance(mark, ast.Call) and last_name(mark.func) == "parametrize" and len(mark.args) > 1:
            rows = mark.args[1]
            count *= len(rows.elts) if isinstance(rows, ast.List | ast.Tuple | ast.Set) else 1
    return count


def _each(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, ast.Tuple) else [node]
