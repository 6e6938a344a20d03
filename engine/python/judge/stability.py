"""Compares observations of one trial under different conditions and removes the facets that differ."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import takewhile

from ....utils.python_source import literal_value, parse_expression
from ..model.model import Observation, Raised, Value

_FEWEST_WORDS = 2


@dataclass(frozen=True, slots=True)
class StableObservation:
    """An observation reduced to the facets that are equal in all runs; `unstable` names the others."""

    observation: Observation
    unstable: tuple[str, ...] = ()


def stable_part(first: Observation, others: Iterable[Observation]) -> StableObservation | None:
    """Returns what all observations of one trial share, or None if even the kind of outcome differs.

    The values are those of `first`. Names in `unstable`: `result`, `result.attribute`, `len(result)`, expressions of
    effects, `output`, `errors`, `warnings`, `message`, `code`. The stable beginning of a message is kept.
    """
    unstable: set[str] = set()
    kept = first
    for other in others:
        if kept.outcome != other.outcome:
            return None
        if (kept.raised is None) != (other.raised is None):
            return None
        if kept.raised is not None and other.raised is not None:
            if kept.raised.type_name != other.raised.type_name:
                return None
            kept = replace(kept, raised=_settle_exception(kept.raised, other.raised, unstable))
        kept = _settle_value(kept, other, unstable)
        kept = _settle_effects(kept, other, unstable)
        if kept.output != other.output:
            unstable.add("output")
            kept = replace(kept, output="")
        if kept.errors != other.errors:
            unstable.add("errors")
            kept = replace(kept, errors="")
        if kept.warnings != other.warnings:
            unstable.add("warnings")
            kept = replace(kept, warnings=())
    return StableObservation(replace(kept, seconds=0.0), tuple(sorted(unstable)))


def _settle_exception(raised: Raised, other: Raised, unstable: set[str]) -> Raised:
    """Returns the exception with the exit code and message that both share, or the common beginning of the messages."""
    if raised.code != other.code:
        unstable.add("code")
        raised = replace(raised, code=None)
    if raised.message == other.message or (raised.message.endswith(" ") and other.message.startswith(raised.message)):
        return raised
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(raised.message, other.message, strict=False))
    start = "".join(letter for letter, _ in pairs)
    start = start[: start.rfind(" ") + 1]
    if len(start.split()) < _FEWEST_WORDS or "\n" in start:
        unstable.add("message")
        start = ""
    return replace(raised, message=start)


def _settle_value(kept: Observation, other: Observation, unstable: set[str]) -> Observation:
    if kept.value is None or other.value is None:
        return replace(kept, value=None)
    if kept.value.type_name != other.value.type_name:
        unstable.add("result")
        return replace(kept, value=None)
    return replace(kept, value=_common(kept.value, other.value, "result", unstable))


def _common(one: Value, other: Value, expression: str, unstable: set[str]) -> Value:
    """Returns the first value without the facets in which the other differs."""
    length = one.length if one.length == other.length else None
    if one.length is not None and length is None:
        unstable.add(f"len({expression})")
    text = one.text if one.text == other.text else ""
    one = replace(one, length=length, text=text)
    if one.source is not None and other.source is not None:
        if same_source(one.source, other.source):
            return one
        if same_items(one.source, other.source):
            return replace(one, unordered=True)
    elif one.source is None and other.source is None:
        return replace(one, attributes=_common_attributes(one, other, expression, unstable))
    unstable.add(expression)
    return replace(one, source=None, imports=(), approximate=False, text="", attributes=())


def _common_attributes(one: Value, other: Value, expression: str, unstable: set[str]) -> tuple[tuple[str, Value], ...]:
    theirs = dict(other.attributes)
    shared: list[tuple[str, Value]] = []
    for name, value in one.attributes:
        whole = f"{expression}.{name}"
        if name in theirs and value.type_name == theirs[name].type_name:
            shared.append((name, _common(value, theirs[name], whole, unstable)))
        else:
            unstable.add(whole)
    return tuple(shared)


def _settle_effects(kept: Observation, other: Observation, unstable: set[str]) -> Observation:
    theirs = dict(other.effects)
    shared: list[tuple[str, Value]] = []
    for expression, value in kept.effects:
        found = theirs.get(expression)
        if found is not None and value.source and found.source and same_source(value.source, found.source):
            shared.append((expression, value))
        else:
            unstable.add(expression)
    unstable.update(theirs.keys() - dict(kept.effects).keys())
    return replace(kept, effects=tuple(shared))


def same_source(one: str, other: str) -> bool:
    """Whether two sources build equal values, ignoring the order of sets and dictionaries and float rounding."""
    if one == other:
        return True
    try:
        return _same(parse_expression(one), parse_expression(other))
    except SyntaxError:
        return False


def same_items(one: str, other: str) -> bool:
    """Whether two list or tuple literals hold the same sortable items in another order."""
    try:
        first, second = literal_value(one), literal_value(other)
        return type(first) is type(second) and isinstance(first, list | tuple) and sorted(first) == sorted(second)
    except (ValueError, TypeError):
        return False


def _same(one: ast.AST, other: ast.AST) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, ast.Constant) and isinstance(other, ast.Constant):
        return type(one.value) is type(other.value) and _same_constant(one.value, other.value)
    if isinstance(one, ast.Set) and isinstance(other, ast.Set):
        return sorted(map(ast.dump, one.elts)) == sorted(map(ast.dump, other.elts))
    if isinstance(one, ast.Dict) and isinstance(other, ast.Dict):
        return _same_pairs(one, other)
    mine, theirs = list(ast.iter_child_nodes(one)), list(ast.iter_child_nodes(other))
    plain = [getattr(one, name, None) for name in ("id", "attr", "arg")]
    if plain != [getattr(other, name, None) for name in ("id", "attr", "arg")] or len(mine) != len(theirs):
        return False
    return all(_same(left, right) for left, right in zip(mine, theirs, strict=True))


def _same_pairs(one: ast.Dict, other: ast.Dict) -> bool:
    mine, theirs = ({ast.dump(key): value for key, value in _items(node)} for node in (one, other))
    return mine.keys() == theirs.keys() and all(_same(value, theirs[key]) for key, value in mine.items())


def _items(node: ast.Dict) -> list[tuple[ast.expr, ast.expr]]:
    return [(key, value) for key, value in zip(node.keys, node.values, strict=True) if key is not None]


def _same_constant(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return one == other
