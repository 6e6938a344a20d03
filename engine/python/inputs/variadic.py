"""Writes several values for a parameter that takes any number of them: `*args` and `**kwargs`."""

from __future__ import annotations

import ast
import re

from ....utils.python_source import expression_or_none, literal_or
from ..domain.degenerate import is_degenerate
from ..model.candidate_parts import combined, distinct
from ..model.model import Candidate, Parameter
from ..source.counterparts import common_parts

_MOST_VALUES = 24
# Two texts, two lists that begin and end alike, so that what they have in common shows.
_TEXTS = (Candidate("'planning'"), Candidate("'playing'"))
_LISTS = (Candidate("[3, 1, 8, 2]"), Candidate("[3, 1, 2]"))
_NUMBERS = (Candidate("1"), Candidate("2"))
_OF_TEXTS = re.compile(r"(sequence|string|text|word|str)s?")
_NAMES = ("name", "other")  # what sample templates ask for comes first


def spread(parameter: Parameter, found: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """The values themselves; for `*args` and `**kwargs` several of them, as written in a call.

    What stands side by side is of one kind and shows something; a single value and degenerate ones come after that.
    """
    if parameter.kind == "var_keyword":
        found = found if parameter.annotation is not None else _without_mappings(found)
        named = [Candidate(f"{name}={one.source}", one.imports) for name, one in zip(_NAMES, found, strict=False)]
        return tuple(joined(row, "", "") for row in (named, named[:1]) if row)
    if parameter.kind != "var_positional":
        return found
    kinds: dict[str, list[Candidate]] = {}
    for one in found:
        kinds.setdefault(type(literal_or(one.source, None)).__name__, []).append(one)
    telling = [[one for one in alike if _shows_something(one)] for alike in kinds.values()]
    rows = [
        *_alike_in_part(parameter, found),
        *[alike[:2] for alike in telling if len(alike) > 1][:1],
        *[alike[:3] for alike in telling if len(alike) > 2 and _have_common_parts(alike[:3])][:1],
        list(found[:1]),
        *[alike[:2] for alike in kinds.values() if len(alike) > 1][:3],
        *(alike[1:4] for alike in kinds.values()),
        *([one] for one in found[1:6]),
    ]
    return tuple(distinct([joined(row, "", "") for row in rows if row], _MOST_VALUES))


def _without_mappings(found: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """The values that are no mappings: that the arguments are collected in one says nothing about each of them."""
    plain = tuple(one for one in found if not isinstance(expression_or_none(one.source), ast.Dict))
    return plain or _NUMBERS[: len(found)]


def joined(parts: list[Candidate], opening: str, closing: str) -> Candidate:
    """One expression of several between brackets, with everything that all of them need."""
    return combined(f"{opening}{', '.join(part.source for part in parts)}{closing}", parts)


def _alike_in_part(parameter: Parameter, found: tuple[Candidate, ...]) -> list[list[Candidate]]:
    """Pairs that have something in common, for parameters that take sequences of any kind."""
    first = literal_or(found[0].source, None) if found else None
    if not isinstance(first, list) or not all(type(item) is int for item in first):
        return []
    named = _OF_TEXTS.fullmatch(parameter.name) is not None
    return [list(_TEXTS), list(_LISTS)] if named else [list(_LISTS)]


def _have_common_parts(found: list[Candidate]) -> bool:
    first, *others = [literal_or(one.source, None) for one in found]
    return all(common_parts(first, other) for other in others)


def _shows_something(one: Candidate) -> bool:
    node = expression_or_none(one.source)
    return node is not None and not is_degenerate(node)
