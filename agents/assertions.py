"""How much a test asserts, read from its syntax tree: what the repair guard (B-03) compares."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import cast

TestNode = ast.FunctionDef | ast.AsyncFunctionDef

_CASE_ID = re.compile(r"\btc_[a-z0-9_]+")
_EXACT = {"assertEqual", "assertIs", "assertListEqual", "assertDictEqual", "assertSetEqual", "assertTupleEqual"}
_EXACT |= {"assertSequenceEqual", "assertMultiLineEqual", "assertCountEqual"}
_NONE = {"assertIsNone"}
_RAISING = {"raises", "assertRaises", "assertRaisesRegex", "warns", "assertWarns", "assertWarnsRegex"}
_WIDE = {"Exception", "BaseException", "Warning"}
_SKIPS = {"skip", "skipif", "skipIf", "skipUnless", "xfail", "expectedFailure", "skipTest", "importorskip", "SkipTest"}

NOTHING, TRUE, PROPERTY, NEAR, EXACT = range(5)
"""Strengths: asserts nothing (a constant, a thing compared with itself), truth, a property, nearly equal, equal."""


@dataclass(slots=True)
class Asserted:
    """What one test asserts.

    Attributes:
        strengths: of its assertions, strongest first.
        wide: exceptions expected as `Exception` or the like; unmatched: those expected without their message.
        skips, swallows, conditional: marks that skip; handlers that swallow; assertions that need not be reached.
        rows: ids of its parametrised rows.
    """

    name: str
    line: int
    case_ids: tuple[str, ...] = ()
    strengths: list[int] = field(default_factory=list)
    wide: int = 0
    unmatched: int = 0
    skips: int = 0
    swallows: int = 0
    conditional: int = 0


def tests_of(tree: ast.Module) -> list[TestNode]:
    """All test functions and methods, in order."""
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return sorted((one for one in functions if one.name.startswith("test")), key=lambda one: one.lineno)


def asserted(test: TestNode, owner_marks: int = 0) -> Asserted:
    """What a test asserts; `owner_marks` are skips around it."""
    rows = [one.value for mark in test.decorator_list for one in _row_ids(mark)]
    ids = _CASE_ID.findall(ast.get_docstring(test) or "") + [str(one) for one in rows]
    found = Asserted(test.name, test.lineno, tuple(dict.fromkeys(ids)), skips=owner_marks + skips_in(test))
    for node, sure in _walk(test.body, True):
        if isinstance(node, ast.Assert):
            found.strengths.append(_strength(node.test))
            found.conditional += not sure
        elif isinstance(node, ast.Call):
            strength = _call_strength(node, found)
            if strength is not None:
                found.strengths.append(strength)
                found.conditional += not sure
        elif isinstance(node, ast.ExceptHandler):
            found.swallows += 1
    found.strengths.sort(reverse=True)
    return found


def skips_in(node: ast.AST) -> int:
    """Marks and calls that skip, or expect failure."""
    names = (_last(one) for one in ast.walk(node) if isinstance(one, ast.Attribute | ast.Name))
    return sum(name in _SKIPS for name in names)


def _walk(body: list[ast.stmt], sure: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Nodes of statements, and whether they are surely reached: not below an `if` or a loop, nor after a return."""
    for statement in body:
        inner = [name for name in ("body", "orelse", "finalbody") if isinstance(getattr(statement, name, None), list)]
        guarded = isinstance(statement, ast.If | ast.For | ast.AsyncFor | ast.While | ast.Try | ast.FunctionDef)
        if not inner:
            for node in ast.walk(statement):
                yield node, sure
        else:
            yield from ((node, sure) for node in _head(statement))
            for name in inner:
                yield from _walk(cast("list[ast.stmt]", getattr(statement, name)), sure and not guarded)
            for handler in getattr(statement, "handlers", ()):
                yield handler, sure
                yield from _walk(handler.body, False)
        if isinstance(statement, ast.Return):
            sure = False


def _head(statement: ast.stmt) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(statement):
        if name in ("body", "orelse", "finalbody", "handlers"):
            continue
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, ast.AST):
                yield from ast.walk(one)


def _strength(test: ast.expr) -> int:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return min(TRUE, *(_strength(one) for one in test.values))
    if isinstance(test, ast.BoolOp):
        return max(_strength(one) for one in test.values)
    if not isinstance(test, ast.Compare):
        if isinstance(test, ast.Call) and _last(test.func) == "isinstance":
            return PROPERTY
        return TRUE if any(isinstance(one, ast.Name) for one in ast.walk(test)) else NOTHING
    sides = [test.left, *test.comparators]
    if any(ast.dump(one) == ast.dump(other) for one, other in pairwise(sides)):
        return NOTHING
    if not any(isinstance(node, ast.Name) for side in sides for node in ast.walk(side)):
        return NOTHING
    if not isinstance(test.ops[0], ast.Eq | ast.Is):
        return TRUE if isinstance(test.ops[0], ast.IsNot) else PROPERTY
    return NEAR if any(_is_approx(side) for side in sides) else EXACT


def _call_strength(call: ast.Call, found: Asserted) -> int | None:
    """The strength of a call that asserts; None for any other."""
    name = _last(call.func)
    if name in _RAISING:
        found.wide += bool(call.args) and any(_last(one) in _WIDE for one in _each(call.args[0]))
        matched = name.endswith("Regex") or any(one.arg == "match" for one in call.keywords)
        found.unmatched += not matched
        return EXACT
    if name == "suppress":
        found.swallows += 1
        return None
    if not name.startswith("assert") or not isinstance(call.func, ast.Attribute):
        return None
    if name in _EXACT | _NONE:
        arguments = call.args[:2]
        same = len(arguments) == 2 and ast.dump(arguments[0]) == ast.dump(arguments[1])
        return NOTHING if same else EXACT
    if name == "assertAlmostEqual":
        return NEAR
    if name in ("assertTrue", "assertFalse", "assertIsNotNone"):
        return min(TRUE, _strength(call.args[0])) if call.args else NOTHING
    return PROPERTY


def _row_ids(mark: ast.expr) -> Iterator[ast.Constant]:
    for node in ast.walk(mark):
        if isinstance(node, ast.keyword) and node.arg == "id" and isinstance(node.value, ast.Constant):
            yield node.value


def _is_approx(side: ast.expr) -> bool:
    return isinstance(side, ast.Call) and _last(side.func) == "approx"


def _each(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, ast.Tuple) else [node]


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
