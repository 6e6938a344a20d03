"""Defines the mutation operators: for a syntax node, the changes that can be made there.

An operator is a function from a place to changes; a change replaces a part of the text, so that the rest of the file
keeps its lines and its layout. Each is a slip that people make, and none makes text that does not compile.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .sites import Site, SourceText


@dataclass(frozen=True, slots=True)
class Change:
    """A part of the text and what takes its place."""

    operator: str
    start: int
    end: int
    replacement: str


Changes = Iterator[Change]

_COMPARISONS: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">=")),
    ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: (r"is\s+not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: (r"not\s+in", ("in",)),
}
_ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "*"),
    ast.Pow: ("**", "*"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "&"),
}
_TWINS = (
    ("lower", "upper"),
    ("startswith", "endswith"),
    ("lstrip", "rstrip"),
    ("find", "rfind"),
    ("min", "max"),
    ("any", "all"),
    ("ljust", "rjust"),
    ("partition", "rpartition"),
)
_TWIN = {one: other for pair in _TWINS for one, other in (pair, pair[::-1])}


def changes_at(site: Site, text: SourceText) -> Changes:
    """Every change at a place, in a fixed order."""
    for kind, operator in _OPERATORS:
        if isinstance(site.node, kind):
            yield from operator(site, text)


def _between(
    operator: str, left: ast.AST, right: ast.AST, pattern: str, becomes: tuple[str, ...], text: SourceText
) -> Changes:
    """Replace an operator between two operands; not where a comment stands between them, too."""
    start, end = text.span(left)[1], text.span(right)[0]
    gap = text.part(start, end)
    if "#" in gap:
        return
    found = re.search(pattern, gap)
    if found is None:
        return
    for one in becomes:
        yield Change(operator, start + found.start(), start + found.end(), one)


def _compare(site: Site, text: SourceText) -> Changes:
    node = site.node
    assert isinstance(node, ast.Compare)
    operands = [node.left, *node.comparators]
    for place, kind in enumerate(node.ops):
        pattern, becomes = _COMPARISONS[type(kind)]
        yield from _between("comparison", operands[place], operands[place + 1], pattern, becomes, text)


def _binary(site: Site, text: SourceText) -> Changes:
    node = site.node
    assert isinstance(node, ast.BinOp)
    sides = (node.left, node.right)
    if any(isinstance(side, ast.JoinedStr) or _is_text(side) for side in sides) or type(node.op) not in _ARITHMETIC:
        return  # another operator only raises TypeError there, which any test notices
    sign, other = _ARITHMETIC[type(node.op)]
    yield from _between("arithmetic", *sides, re.escape(sign), (other,), text)


def _augmented(site: Site, text: SourceText) -> Changes:
    node = site.node
    assert isinstance(node, ast.AugAssign)
    if type(node.op) not in _ARITHMETIC or _is_text(node.value):
        return
    sign, other = _ARITHMETIC[type(node.op)]
    pattern = re.escape(sign) + "="
    yield from _between("augmented assignment", node.target, node.value, pattern, (f"{other}=", "="), text)


def _unary(site: Site, text: SourceText) -> Changes:
    node = site.node
    assert isinstance(node, ast.UnaryOp)
    start, end = text.span(node)
    operator = "negation" if isinstance(node.op, ast.Not) else "sign"
    yield Change(operator, start, end, f"({text.part(*text.span(node.operand))})")


def _boolean(site: Site, text: SourceText) -> Changes:
    node = site.node
    assert isinstance(node, ast.BoolOp)
    word, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    for left, right in zip(node.values, node.values[1:], strict=False):
        yield from _between("and/or", left, right, rf"\b{word}\b", (other,), text)


def _condition(site: Site, text: SourceText) -> Changes:
    node = site.node
    assert isinstance(node, ast.If | ast.While | ast.IfExp)
    # Comparisons and negations have their own operators, which turn the condition round as well.
    if isinstance(node.test, ast.Compare | ast.UnaryOp | ast.BoolOp | ast.Constant | ast.NamedExpr):
        return
    start, end = text.span(node.test)
    yield Change("condition", start, end, f"(not ({text.part(start, end)}))")


def _constant(site: Site, text: SourceText) -> Changes:
    node = site.node
    assert isinstance(node, ast.Constant)
    value, (start, end) = node.value, text.span(node)
    if isinstance(value, bool):
        yield Change("boolean", start, end, str(not value))
    elif isinstance(value, int | float):
        yield Change("number", start, end, repr(value + 1) if abs(value) < 1e15 else "0")
    elif isinstance(value, str | bytes):
        yield Change("string", start, end, _apart(start, text) + repr(_marked(value)))


def _statement(site: Site, text: SourceText) -> Changes:
    node = site.node
    start, end = text.span(node)
    if isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        first, last = text.span(node.value)
        yield Change("return value", first, last, _apart(first, text) + "None")
    elif isinstance(node, ast.Assign) and not isinstance(node.value, ast.Constant):
        if not any(isinstance(target, ast.Tuple | ast.List) for target in node.targets):
            yield Change("assigned value", *text.span(node.value), "None")
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield Change("removed call", start, end, "None")
    elif isinstance(node, ast.Raise) and node.exc is not None:
        yield Change("removed raise", start, end, "pass")
    elif isinstance(node, ast.Break | ast.Continue):
        yield Change("loop exit", start, end, "continue" if isinstance(node, ast.Break) else "break")
    elif isinstance(node, ast.For):
        yield Change("empty loop", *text.span(node.iter), "()")


def _handler(site: Site, text: SourceText) -> Changes:
    node = site.node
    assert isinstance(node, ast.ExceptHandler)
    if node.type is not None and not isinstance(site.parent, getattr(ast, "TryStar", ())):
        yield Change("except clause", *text.span(node.type), "()")


def _decorators(site: Site, text: SourceText) -> Changes:
    node = site.node
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    for decorator in node.decorator_list:
        start, end = text.span(decorator)
        sign = text.data.rfind(b"@", 0, start)
        if sign >= 0 and text.part(sign + 1, start).strip(" \t(") == "" and text.part(end, end + 1) in ("", "\n"):
            yield Change("removed decorator", sign, end, "")


def _call(site: Site, text: SourceText) -> Changes:
    node = site.node
    assert isinstance(node, ast.Call)
    function = node.func
    if isinstance(function, ast.Attribute) and function.attr in _TWIN:
        end = text.span(function)[1]
        yield Change("like function", end - len(function.attr), end, _TWIN[function.attr])
    elif isinstance(function, ast.Name) and function.id in _TWIN:
        yield Change("like function", *text.span(function), _TWIN[function.id])


def _apart(place: int, text: SourceText) -> str:
    """A blank where a word stands right before a place, as in `return-x`."""
    return " " if text.data[max(0, place - 1) : place].isalnum() else ""


def _marked(value: str | bytes) -> str | bytes:
    if isinstance(value, str):
        return f"XX{value}XX" if value else "XX"
    return b"XX" + value + b"XX" if value else b"XX"


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)


_Operator = Callable[[Site, SourceText], Changes]
_OPERATORS: tuple[tuple[type[ast.AST] | tuple[type[ast.AST], ...], _Operator], ...] = (
    (ast.Compare, _compare),
    (ast.BinOp, _binary),
    (ast.AugAssign, _augmented),
    (ast.UnaryOp, _unary),
    (ast.BoolOp, _boolean),
    ((ast.If, ast.While, ast.IfExp), _condition),
    (ast.Constant, _constant),
    (ast.stmt, _statement),
    (ast.ExceptHandler, _handler),
    ((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef), _decorators),
    (ast.Call, _call),
)
