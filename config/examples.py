"""Checks the example values that a project's file gives: literals and calls of constructors, nothing that acts."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

_KEY = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)?|[A-Za-z_]\w*")
_MAKERS = frozenset("bool bytes bytearray complex dict float frozenset int list range set str timedelta tuple".split())
_PARTS = (
    *(ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Name, ast.Attribute, ast.Call, ast.keyword, ast.Load),
    *(ast.UnaryOp, ast.USub, ast.UAdd, ast.Expression),
)
_LONGEST = 900


def checked_examples(said: Mapping[str, str]) -> dict[str, str]:
    """Returns the examples by `module:function` or parameter name, in order of the keys.

    Raises:
        ValueError: a key is neither form, or an expression is more than literals and calls of constructors. Of
            `module:function` the outermost call is the function's.
    """
    for key, source in said.items():
        if not _KEY.fullmatch(key):
            raise ValueError(f"{key!r} is neither module:function nor the name of a parameter")
        problem = _problem(key, source)
        if problem:
            raise ValueError(f"the example of {key!r} {problem}")
    return dict(sorted(said.items()))


def _problem(key: str, source: str) -> str:
    if len(source) > _LONGEST:
        return f"is longer than {_LONGEST} characters"
    try:
        node = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return "is not a Python expression"
    outermost: ast.AST | None = None
    if ":" in key:
        name = key.rpartition(":")[2].rpartition(".")[2]
        if not isinstance(node, ast.Call) or _last_name(node.func) != name:
            return f"is not a call of {name}"
        outermost = node
    parts = list(ast.walk(node))
    if not all(isinstance(part, _PARTS) for part in parts):
        return "may only have literals and calls of constructors"
    for part in parts:
        if isinstance(part, ast.Name | ast.Attribute) and _last_name(part).startswith("_"):
            return "names something private"
        if isinstance(part, ast.Call) and part is not outermost and not _makes_a_value(part.func):
            return f"calls {ast.unparse(part.func)}, which is no constructor"
    return ""


def _last_name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _makes_a_value(function: ast.expr) -> bool:
    """Whether a call builds a value: a class, a method of a class (`Rule.parse(…)`), a builtin or standard type."""
    names = ast.unparse(function).split(".")
    if names[-1] in _MAKERS or names[-1] in ("date", "datetime", "time"):
        return True
    return any(name[:1].isupper() for name in names[-2:])
