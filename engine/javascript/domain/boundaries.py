"""Values at the bounds of what code compares with: numbers, lengths, and texts with what is looked for in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ....utils.names.article import with_article
from ..model import Value
from .shapes import Constant, Shape
from .value_pools import LONG, WORDS, quoted_text, singular, words

_SHORTEST = 2
"""Lengths below it are what empty and single values show."""


def bare(source: str) -> str:
    """A text literal without its quotation marks."""
    return source.strip("'\"`")


def around(constant: Constant, name: str) -> Iterator[Value]:
    """Numbers at, just below and just above one that the code compares with."""
    text = constant.source.replace("_", "")
    try:
        number = float(text)
    except ValueError:
        return
    named = words(name)
    limit = constant.name or text
    step = 1.0 if number.is_integer() else 0.01
    if number == 0 and not constant.name:
        yield Value("0", f"{named} zero", "boundary")
        yield Value("-1", f"a negative {named}", "boundary")
        return
    yield Value(_number(number), f"{named} equal to {limit}", "boundary")
    if constant.operator in ("===", "==", "!==", "!=", "key", "one of"):
        return
    for other, side in ((number - step, "just below"), (number + step, "just above")):
        yield Value(_number(other), f"{named} {side} {limit}", "boundary")
    if number > 4 and number.is_integer():
        yield Value(_number(number * 2), f"{named} far above {limit}", "boundary")


def lengths(constant: Constant, named: str) -> Iterator[Value]:
    if not constant.operator.startswith("length") or not constant.source.isdigit() or int(constant.source) < _SHORTEST:
        return
    wanted = int(constant.source)
    for size, side in ((wanted, "of exactly"), (wanted - 1, "shorter than"), (wanted + 1, "longer than")):
        if 0 < size <= len(LONG):
            shown = constant.name or f"{wanted} characters"
            text = LONG[:size]
            yield Value(
                quoted_text(text if text.strip() == text else f"{text.rstrip()}s"),
                f"{with_article(named)} {side} {shown}",
                "boundary",
            )


def of_length(first: Sequence[Value], constant: Constant, named: str) -> Iterator[Value]:
    if not constant.operator.startswith("length") or not constant.source.isdigit():
        return
    wanted = int(constant.source)
    for size in (wanted, wanted + 1):
        if 0 < size <= 6:
            made = listed_values([first[at % len(first)] for at in range(size)])
            yield replace(made, phrase=f"{size} {named}" if size > 1 else f"one {singular(named)}", kind="boundary")


def shaped(shape: Shape, named: str) -> Iterator[Value]:
    """Texts that have what the code looks for in them."""
    for one in shape.constants:
        sought = bare(one.source)
        if (
            not sought
            or "\\" in sought
            or one.operator not in ("split", "startsWith", "endsWith", "includes", "indexOf")
        ):
            continue
        if one.operator == "startsWith":
            yield Value(quoted_text(f"{sought}apple"), f"{with_article(named)} that begins with {sought}", "listed")
        elif one.operator == "endsWith":
            yield Value(quoted_text(f"apple{sought}"), f"{with_article(named)} that ends with {sought}", "listed")
        elif sought.strip():
            yield Value(quoted_text(sought.join(WORDS[:3])), f"{with_article(named)} with several parts", "listed")


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() else f"{value:.10g}"


def listed_values(values: Sequence[Value]) -> Value:
    needs = frozenset[str]().union(*(one.needs for one in values))
    return Value(f"[{', '.join(one.source for one in values)}]", needs=needs)
