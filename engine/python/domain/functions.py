"""Functions that a person would pass: keys, converters, predicates; and those that put nothing in order."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ....utils.python_source import literal_or, shared_expression
from ..facts.type_inference import name_entry
from ..model.domain import ParameterDomain
from ..model.model import CallableFacts, Candidate, Parameter
from ..source.annotations import ANY, TypeHint
from . import example_tables as tables

# What the keys answer that are tried or whose answers are known without calling code of the project.
_KEYS: dict[str, Callable[[Any], Any]] = {
    **{one.__name__: one for one in (len, bool, type, callable, abs, round)},
    "str.lower": str.lower,
    "lambda text: text[-1]": lambda text: text[-1],
    "lambda x: -x": lambda x: -x,
    "lambda x: x % 3": lambda x: x % 3,
}
_SORTING = re.compile(r"(?<!re|un|as)sort(ed)?(_|$)")
_ITERABLES = frozenset({"Iterable", "Sequence", "Collection"})
_UNSORTED = "['file10', 'file2', 'file1']"


def function_sources(
    domain: ParameterDomain, name: str, default: str = "", items: ParameterDomain | None = None
) -> Sequence[str]:
    """Functions of a domain, as source, the plainest first.

    Args:
        name: the parameter's name.
        default: source of the parameter's default.
        items: the domain of what a key is called with, where that is known.
    """
    arity = -1 if domain.arity is None else domain.arity
    if arity == -1 and tables.KEY_NAME.fullmatch(name):
        arity = 1
    if arity == 1 and tables.KEY_NAME.fullmatch(name) and items is not None:
        kinds = {one.kind for one in (items, *items.alternatives)}
        known = next((kind for kind in tables.KEY_FUNCTIONS if kind in kinds), None)
        if known is not None:
            return tables.KEY_FUNCTIONS[known]
    result = domain.value.kind if domain.value is not None else ""
    if tables.CONVERTER_NAME.fullmatch(name) and arity in (1, -1):
        # Beside `repr` another text shows, beside nothing another value.
        shown = default in ("repr", "str")
        return ("'<{}>'.format",) if shown else ("int", "str.upper", "float", "str")
    found: list[str] = []
    if (result == "boolean" or (not result and tables.PREDICATE_NAME.fullmatch(name))) and arity in tables.PREDICATES:
        found.append(tables.PREDICATES[arity])
    if result == "text" and arity == 1:
        found.append("str.upper")
    if result in ("", "integer", "real", "any") and arity in tables.FUNCTIONS:
        found.append(tables.FUNCTIONS[arity])
    return found


def is_idle_key(node: ast.expr, items: Sequence[object] = (), *, sorts: bool = False) -> bool:
    """Whether a function puts nothing in order: it answers the same for all items, or answers with the item.

    Args:
        node: source of the function.
        items: what it is called with, where that is known.
        sorts: whether items that come in the order of their keys show nothing.
    """
    key = _KEYS.get(ast.unparse(node))
    if key is not None and len(items) > 1:
        return _leaves_order([_answer(key, item) for item in items], sorts=sorts)
    if isinstance(node, ast.Lambda):
        names = {argument.arg for argument in node.args.args}
        body = node.body
        yes_or_no = isinstance(body, ast.Compare) and not items
        return isinstance(body, ast.Constant) or yes_or_no or (isinstance(body, ast.Name) and body.id in names)
    return key in (bool, type, callable)


def _answer(key: Callable[[Any], Any], item: object) -> object:
    try:
        return key(item)
    except Exception:  # noqa: BLE001 - items are anything: dictionaries have no last one, texts are broken templates
        return None


def _leaves_order(answers: Sequence[Any], *, sorts: bool) -> bool:
    if None in answers:
        return False  # the call is refused
    try:
        return len({repr(one) for one in answers}) < 2 or (sorts and list(answers) == sorted(answers))
    except TypeError:
        return False


def sorts(one: CallableFacts) -> bool:
    """Whether a function puts items in order, by its name or by a flag that reverses the order."""
    return is_sorting(one.name) or {"key", "reverse"} <= {item.name for item in one.parameters}


def is_sorting(name: str) -> bool:
    """Whether a function of this name puts items in order; what is resorted to is not."""
    return _SORTING.search(name.lower()) is not None


def fitting_values(
    one: CallableFacts, parameter: Parameter, typed: Sequence[Candidate], hints: Sequence[TypeHint] = ()
) -> list[Candidate]:
    """The values of a type without keys that order nothing; what is sorted is no text, and not in order yet.

    Args:
        hints: the parameter's types; none where they are not known.
    """
    if tables.KEY_NAME.fullmatch(parameter.name):
        nodes = [(item, shared_expression(item.source)) for item in typed]
        typed = [item for item, node in nodes if node is None or not is_idle_key(node)]
    if not sorts(one) or not _takes_items(one, parameter, hints):
        return list(typed)
    texts = [item for item in typed if isinstance(literal_or(item.source, None), str)]
    return [replace(item, source=_UNSORTED) if item in texts[:1] else item for item in typed if item not in texts[1:]]


def _takes_items(one: CallableFacts, parameter: Parameter, hints: Sequence[TypeHint]) -> bool:
    """Whether a parameter takes what is sorted: anything that can be iterated, or the first one of no known type."""
    names = {hint.name for hint in hints} - {ANY.name, "None"}
    if names:
        return names <= _ITERABLES
    first = next((item.name for item in one.parameters if item.name not in ("self", "cls")), "")
    entry = name_entry(parameter.name)
    return parameter.name == first and (entry is None or entry[0] != "str")
