"""The plain data of performance tests: calls with a size, measurements, and what was learnt from them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

SIZE = "size"
"""The name that stands for the size in templates."""

GrowthName = Literal["constant", "logarithmic", "linear", "n log n", "quadratic", "cubic"]


@dataclass(frozen=True, slots=True)
class ScaledForm:
    """A call whose input can be made as large as wanted.

    Attributes:
        noun: what there is more of, in the plural: `words`, `characters`.
        stem: the name of what grows, for variables: `few_words`, `many_words`.
        statements: run before; they do not depend on the size.
        value: an expression of the input, with `size` in it.
        helper: a function of `size` that `value` calls, or "".
        act: the call, with `{value}` where the input stands.
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
        return replace_name(self.value, SIZE, written(size))

    def act_with(self, value: str) -> str:
        """The call with an input, given as source."""
        return self.act.replace("{value}", value)

    def setup(self) -> tuple[str, ...]:
        """The statements with the helper."""
        return (*self.statements, *([self.helper] if self.helper else ()))


def written(number: int) -> str:
    """A number as people write it in Python: `10_240`."""
    return f"{number:_}" if number >= 10_000 else str(number)


def replace_name(source: str, name: str, by: str) -> str:
    """Source with a name replaced, as a whole word."""
    return re.sub(rf"\b{name}\b", by, source)


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
