"""Finds limits that a docstring states and the code draws one step away: "at most 10" where it asks `quantity < 10`.

What the code does at such a number is pinned as it is, so a person is asked which of the two is right. Only a line that
names the parameter, the limit and the number counts, and only where every comparison of the parameter with that number
is on the other side of it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....utils.python_names import Function, named_functions
from ....utils.python_source import parse_or_none

_NUMBER = r"(?P<number>-?\d[\d_]*(?:\.\d+)?)(?![\w%]|\.\d)"
_TO = re.compile(
    rf"\b(?:(?P<with>at most|no more than|not more than|not exceed(?:ing)?|maximum of)|"
    rf"(?P<without>(?<!no )(?<!not )more than|greater than|above|over)) {_NUMBER}",
    re.IGNORECASE,
)
_FROM = re.compile(
    rf"\b(?:(?P<with>at least|no less than|not less than|no fewer than|minimum of)|"
    rf"(?P<without>(?<!no )(?<!not )less than|(?<!no )fewer than|below|under)) {_NUMBER}",
    re.IGNORECASE,
)
_ABOVE, _BELOW = (ast.Gt, ast.LtE), (ast.GtE, ast.Lt)
"""Comparisons whose answer changes above a number, and those whose answer changes below it."""

_SIGNS: dict[type[ast.cmpop], str] = {ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<="}
_MIRRORED = {ast.Gt: ast.Lt, ast.GtE: ast.LtE, ast.Lt: ast.Gt, ast.LtE: ast.GtE}


@dataclass(frozen=True, slots=True)
class _Comparison:
    """`name` `operator` `number`; the operator is None where they are compared for equality."""

    name: str
    operator: type[ast.cmpop] | None
    number: float
    line: int


def edge_questions(source: str, path: str) -> list[tuple[str, str]]:
    """The qualified names of functions and a question about each limit that prose and code draw differently, in order.

    Args:
        path: of the module, for the question.
    """
    tree = parse_or_none(source)
    if tree is None:
        return []
    lines = source.split("\n")
    numbers = dict(_constants(tree))
    return [
        (name, question) for name, node in named_functions(tree) for question in _questions(node, lines, numbers, path)
    ]


def _constants(tree: ast.Module) -> Iterator[tuple[str, float]]:
    for node in tree.body:
        value = _number(node.value, {}) if isinstance(node, ast.Assign) else None
        if isinstance(node, ast.Assign) and value is not None and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, value


def _questions(node: Function, lines: Sequence[str], numbers: dict[str, float], path: str) -> Iterator[str]:
    given = {one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    # What is bound anew may be something else than what the prose speaks of.
    given -= {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)}
    compared = [one for one in _comparisons(node, numbers) if one.name in given]
    for number, line in _docstring_lines(node, lines):
        for pattern, expected in ((_TO, _ABOVE), (_FROM, _BELOW)):
            for found in pattern.finditer(line):
                limit = float(found["number"].replace("_", ""))
                yield from _asked(
                    found[0], number, line, [one for one in compared if one.number == limit], expected, path
                )


def _asked(
    limit: str,
    number: int,
    line: str,
    compared: Sequence[_Comparison],
    expected: tuple[type[ast.cmpop], ...],
    path: str,
) -> Iterator[str]:
    for name in dict.fromkeys(one.name for one in compared if re.search(rf"\b{re.escape(one.name)}\b", line)):
        rows = [one for one in compared if one.name == name]
        # A number that is asked about twice may be told apart in another place.
        if any(one.operator is None or one.operator in expected for one in rows):
            continue
        first = rows[0]
        sign = _SIGNS[first.operator] if first.operator is not None else "=="
        yield (
            f"a question: {path}:{number} says `{name}` and `{' '.join(limit.split())}`, and line {first.line} asks "
            f"`{name} {sign} {first.number:g}`: on which side is {first.number:g}? Tests pin what the code does there"
        )


def _docstring_lines(node: Function, lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    first = node.body[0]
    value = first.value if isinstance(first, ast.Expr) else None
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        for number in range(value.lineno, (value.end_lineno or value.lineno) + 1):
            yield number, lines[number - 1]


def _comparisons(node: Function, numbers: dict[str, float]) -> Iterator[_Comparison]:
    # A loop that goes on while there are fewer ends with as many: its condition draws no limit.
    loops = {id(one) for loop in ast.walk(node) if isinstance(loop, ast.While) for one in ast.walk(loop.test)}
    for compare in ast.walk(node):
        if not isinstance(compare, ast.Compare) or id(compare) in loops:
            continue
        sides = [compare.left, *compare.comparators]
        for left, operator, right in zip(sides, compare.ops, sides[1:], strict=False):
            kind: type[ast.cmpop] | None = type(operator)
            name, other = (left, right) if isinstance(left, ast.Name) and left.id not in numbers else (right, left)
            if name is right and kind in _MIRRORED:
                kind = _MIRRORED[kind]
            value = _number(other, numbers)
            if isinstance(name, ast.Name) and value is not None:
                yield _Comparison(name.id, kind if kind in _SIGNS else None, value, compare.lineno)


def _number(node: ast.expr | None, numbers: dict[str, float]) -> float | None:
    if isinstance(node, ast.Name):
        return numbers.get(node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand, {})
        return None if inner is None else -inner
    value = node.value if isinstance(node, ast.Constant) else None
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        return float(value)
    except OverflowError:  # no document speaks of such a number
        return None
