"""The data that reading a body fills, and the small questions it asks of expressions."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from ..model.model import Comparison, RaiseSite

Function = ast.FunctionDef | ast.AsyncFunctionDef
OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
TEXT_TESTS = frozenset(
    {"startswith", "endswith", "split", "partition", "rpartition", "find", "index", "count", "strip"}
)


@dataclass(slots=True)
class Body:
    """What one body says, in order of appearance, without repetitions."""

    constants: dict[str, None] = field(default_factory=dict)
    comparisons: dict[Comparison, None] = field(default_factory=dict)
    raises: list[RaiseSite] = field(default_factory=list)
    branch_lines: set[int] = field(default_factory=set)
    declines: list[int] = field(default_factory=list)
    uses: dict[tuple[str, str], None] = field(default_factory=dict)
    yields: bool = False


def dotted(node: ast.AST) -> str | None:
    """`a.b.c` for a chain of attributes on a name, else None."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return ".".join(reversed(parts))


def is_literal(node: ast.expr) -> bool:
    """Whether this is a constant, or one with a sign."""
    return isinstance(node, ast.Constant) or (isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant))


def is_operand(node: ast.expr) -> bool:
    """Literals, containers of literals, and upper-case or dotted names that may be constants."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return all(is_operand(one) for one in node.elts)
    if isinstance(node, ast.Name):
        return node.id.isupper() or node.id.lstrip("_").isupper()
    if isinstance(node, ast.Attribute):
        return dotted(node) is not None and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
    return is_literal(node)
