"""Accesses values of a spec that may be malformed, and checks its expectations."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from ...engine.python.model.spec_case import MESSAGE
from ...utils.error_formatter import SpecIssue, excerpt_of, json_path
from ...utils.python_names import BUILTIN_NAMES, dotted_name, loaded_names
from ...utils.python_source import parse_expression
from ..openapi.problems import mapping, text

__all__ = ["SpecPlace", "issue", "mapping", "objects", "text", "texts"]

SpecPlace = tuple[str | int, ...]


def objects(value: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects in a list, with their positions."""
    for index, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, dict):
            yield index, item


def texts(value: Any) -> Iterator[tuple[int, str]]:
    """The texts in a list, with their positions."""
    for index, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, str):
            yield index, item


def issue(place: SpecPlace, rule: str, message: str, suggestion: str, value: Any = None) -> SpecIssue:
    """Builds the issue of a broken quality rule."""
    excerpt = "" if value is None else excerpt_of(value)
    return SpecIssue(json_path(place), message, "error", suggestion, rule, excerpt)


_MOVING = frozenset(
    {"now", "utcnow", "today", "time", "time_ns", "monotonic", "perf_counter", "random", "randint", "choice", "uuid1"}
    | {"uuid4", "urandom", "getpid", "id", "token_hex"}
)
_FIXES = ("write one expression", "use `result`, an arranged name or an imported one")
Missing = Callable[[ast.AST], list[str]]


def expectation_rules(
    place: SpecPlace, case: dict[str, Any], missing: Missing, imported: set[str]
) -> Iterator[SpecIssue]:
    """Yields what is wrong with the expectations of one case.

    Args:
        place: where the case is.
        missing: lists the names an expression reads that nothing binds.
        imported: names bound by the spec's imports.
    """
    expectations = list(objects(case.get("expect")))
    raising = [index for index, item in expectations if item.get("kind") == "raises"]
    for index in raising[1:]:
        fix = "keep one, or make a case of each"
        yield issue((*place, "expect", index), "two_exceptions", "a case can raise only one exception", fix)
    for index, item in expectations:
        where = (*place, "expect", index)
        trees: dict[str, ast.expr] = {}
        for key in ("actual", "value"):
            if key == "actual" and item.get("kind") == "raises" and item.get(key) == MESSAGE:
                continue  # all of the message is demanded
            tree, found = parsed_expression((*where, key), item.get(key), missing, *_FIXES)
            yield from found
            if tree is not None:
                trees[key] = tree
        yield from _shape(where, item, trees)
        yield from _exception(where, item, imported)
        # The act does not return where it raises.
        if raising and "actual" in trees and "result" in loaded_names(trees["actual"]):
            fix = "remove it: an act that raises has no result"
            yield issue((*where, "actual"), "result_after_raise", "there is no result when the act raises", fix)


def parsed_expression(
    place: SpecPlace, source: Any, missing: Missing, rewriting: str, binding: str
) -> tuple[ast.expr | None, list[SpecIssue]]:
    """Parses an expression of a spec; None where there is none, or none that is Python. With what is wrong with it.

    Args:
        missing: lists the names it reads that nothing binds.
        rewriting, binding: what to do where it is not Python, and where nothing binds `{name}`.
    """
    if not isinstance(source, str) or not source.strip():
        return None, []
    try:
        tree = parse_expression(source)
    except SyntaxError as error:
        return None, [issue(place, "unparsable", f"the expression is not Python: {error.msg}", rewriting, source)]
    return tree, [unbound_name(place, name, source, binding) for name in missing(tree)]


def unbound_name(place: SpecPlace, name: str, source: str, binding: str) -> SpecIssue:
    """Builds the issue of a name that nothing binds."""
    return issue(place, "unbound_name", f"nothing binds the name {name!r}", binding.format(name=name), source)


def _shape(where: SpecPlace, item: dict[str, Any], trees: dict[str, ast.expr]) -> Iterator[SpecIssue]:
    kind, actual, value = item.get("kind"), trees.get("actual"), trees.get("value")
    if actual is not None and not loaded_names(actual):
        fix = "compare `result` or an arranged name"
        yield issue((*where, "actual"), "constant_actual", "the expectation looks at a constant", fix, item["actual"])
    elif actual is not None and value is not None and kind != "approx" and ast.dump(actual) == ast.dump(value):
        yield issue(where, "tautology", "the expectation compares a thing with itself", "give the expected value", item)
    if value is None:
        return
    if kind == "length" and not (isinstance(value, ast.Constant) and type(value.value) is int and value.value >= 0):
        fix = "give the number of items"
        yield issue((*where, "value"), "not_a_length", "a length is a whole number", fix, item["value"])
    if kind == "output" and not (isinstance(value, ast.Constant) and isinstance(value.value, str)):
        fix = "give the text in quotes"
        yield issue(
            (*where, "value"), "not_a_text", "printed output is compared with a string literal", fix, item["value"]
        )
    if kind == "is_instance" and not isinstance(value, ast.Name | ast.Attribute | ast.Tuple | ast.BinOp):
        fix = "name the class, imported in `imports`"
        yield issue((*where, "value"), "not_a_class", "is_instance needs a class", fix, item["value"])
    for name in _moving(value):
        fix = "expect a property that does not change, such as its type"
        yield issue((*where, "value"), "moving_value", f"{name}() differs from run to run", fix, item["value"])


def _moving(tree: ast.expr) -> list[str]:
    # `datetime.time(10, 26)` is a value, not the clock.
    calls = [dotted_name(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    calls = [name for name in calls if name != "datetime.time"]
    return sorted({name for name in calls if name.rpartition(".")[2] in _MOVING and (name == "id" or "." in name)})


def _exception(where: SpecPlace, item: dict[str, Any], imported: set[str]) -> Iterator[SpecIssue]:
    name = text(item.get("exception"))
    if not name or item.get("kind") not in ("raises", "warns"):
        return
    root = name.partition(".")[0]
    if root not in imported and root not in BUILTIN_NAMES and "*" not in imported:
        fix = f"import {root!r} in `imports`"
        yield issue((*where, "exception"), "unbound_name", f"nothing binds the exception {name!r}", fix, name)
