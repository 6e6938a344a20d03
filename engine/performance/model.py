"""The plain data of performance tests: calls with a size, measurements, and what was learnt from them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ...utils.python_source import parse_expression, parse_python

SIZE, VALUE = "__size__", "__value__"
"""The names that stand for the size and for the input in templates: no code has them."""

GrowthName = Literal["constant", "logarithmic", "linear", "n log n", "quadratic", "cubic"]


@dataclass(frozen=True, slots=True)
class ScaledForm:
    """A call whose input can be made as large as wanted.

    Attributes:
        noun: what there is more of, in the plural: `words`, `characters`.
        stem: the name of what grows, for variables: `few_words`, `many_words`.
        statements: run before; they do not depend on the size.
        value: an expression of the input, with `SIZE` in it.
        helper: a function of a size that `value` calls, or "".
        act: the call, with `VALUE` where the input stands.
        inlined: the size itself is the argument, so that no variable is needed.
        must_grow: a call whose time does not grow with it has no size: a number, or one text.
    """

    noun: str
    stem: str
    statements: tuple[str, ...]
    value: str
    act: str
    helper: str = ""
    inlined: bool = False
    must_grow: bool = False

    def value_of(self, size: int) -> str:
        """The input's expression for a size."""
        return with_names(self.value, {SIZE: str(size)})

    def act_with(self, value: str) -> str:
        """The call with an input, given as source."""
        return with_names(self.act, {VALUE: value})

    def setup(self) -> tuple[str, ...]:
        """The statements with the helper."""
        return (*self.statements, *([self.helper] if self.helper else ()))


def with_names(source: str, by: Mapping[str, str]) -> str:
    """Source with expressions in the place of names, which may also be names of parameters; texts and keywords stay."""
    return ast.unparse(_Names(by).visit(parse_python(source)))


class _Names(ast.NodeTransformer):
    def __init__(self, by: Mapping[str, str]) -> None:
        self._by = by

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return parse_expression(self._by[node.id]) if node.id in self._by else node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self._by.get(node.arg, node.arg))


@dataclass(frozen=True, slots=True)
class Growth:
    """How time grows with size.

    Attributes:
        name: its class; None where the measurements fit none clearly.
        sizes: the two sizes that a test compares.
        ratio: time at the larger size, in times of that at the smaller one.
        spread: the smallest and largest ratio that was measured.
        limit: the ratio that separates the class from the next one that is clearly slower.
        reason: why there is no name.
    """

    name: GrowthName | None
    sizes: tuple[int, int] = (0, 0)
    ratio: float = 0.0
    spread: tuple[float, float] = (0.0, 0.0)
    limit: float = 0.0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one call costs, in additions of plain Python.

    Attributes:
        additions: the middle of what was measured; `spread`: the smallest and the largest.
        limit: what it may cost.
    """

    additions: float
    spread: tuple[float, float]
    limit: int


@dataclass(frozen=True, slots=True)
class Repeat:
    """What a cache saves: a repeated call takes `share` of the first one; `limit` is the largest share allowed."""

    share: float
    limit: float
