"""Counts the arguments of a trial that are certainly outside the domains of their parameters."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ....utils.python_source import literal_or
from ..facts.inverse_names import undoes
from ..model.domain import UNKNOWN, CallableDomains, ParameterDomain
from ..model.model import CallableFacts, ModuleFacts, Observation, Trial
from ..source.counting_parameters import counts_things
from .arguments import Argument, arguments_of
from .conditions import SORTED_FLAG
from .contains import Kinds, is_inside
from .example_tables import KEY_NAME
from .functions import is_idle_key, is_sorting
from .inference import annotated_domains

_GUESSED = frozenset({"use", "name"})
_OF_THE_WRONG_TYPE = frozenset({"TypeError", "AttributeError"})


def knows_domains(facts: ModuleFacts) -> bool:
    """Whether any parameter of the module has a domain that values can be outside of."""
    known = facts.domains or annotated_domains(facts)
    return any(domain.strong for one in known for _, domain in one.parameters)


def without_refuted(facts: ModuleFacts, seen: Iterable[tuple[Trial, Observation]]) -> tuple[CallableDomains, ...]:
    """The module's domains without those that trials refute: what is inside is refused, and something outside is not.

    Only what was guessed from uses and names may be refuted: what a document says and the code refuses is a defect.
    What a callable takes that its inverse returned, such as the rows of `to_rows` in `from_rows`, says more of its
    items than any guess.
    """
    seen = list(seen)
    refused, accepted = Counter[tuple[str, str]](), set[tuple[str, str]]()
    fitting, open_inside = Counter[tuple[str, str]](), set[tuple[str, str]]()
    made = _made_by(seen)
    for trial, observation in seen:
        arguments, kinds = arguments_of(trial, facts)
        outside = _outside(arguments, kinds)
        is_refused = observation.raised is not None and observation.raised.type_name in _OF_THE_WRONG_TYPE
        for one in arguments:
            key = (one.called.qualname, one.parameter)
            if not one.in_act or one.called.qualname != trial.subject:
                continue
            if one in outside and observation.raised is None and _is_made_by_inverse(one, made):
                open_inside.add(key)
            if one.domain.source not in _GUESSED:
                continue
            if one not in outside:
                fitting[key] += 1
                refused[key] += is_refused
            elif observation.raised is None and len(outside) == 1:
                accepted.add(key)
    wrong = {key for key, count in fitting.items() if count > 1 and refused[key] == count and key in accepted}
    if not wrong and not open_inside:
        return facts.domains

    def known(key: tuple[str, str], domain: ParameterDomain) -> ParameterDomain:
        if key in wrong:
            return UNKNOWN
        return _opened(domain) if key in open_inside else domain

    return tuple(
        replace(one, parameters=tuple((name, known((one.qualname, name), domain)) for name, domain in one.parameters))
        for one in facts.domains
    )


def _opened(domain: ParameterDomain) -> ParameterDomain:
    """The domain with items of any kind; tuples of so many parts stay that."""
    element = domain.element
    parts = tuple((name, UNKNOWN) for name, _ in element.fields) if element is not None else ()
    inner = replace(element, fields=parts) if element is not None and element.kind == "tuple" else None
    return replace(
        domain, element=inner, key=None, value=None, fields=tuple((name, UNKNOWN) for name, _ in domain.fields)
    )


def _made_by(seen: Sequence[tuple[Trial, Observation]]) -> dict[str, set[str]]:
    """The callables that returned a value, by its source."""
    found: dict[str, set[str]] = defaultdict(set)
    for trial, observation in seen:
        value = observation.value
        if observation.raised is None and value is not None and value.source is not None and trial.mode == "call":
            found[value.source].add(trial.subject.rpartition(".")[2])
    return found


def _is_made_by_inverse(one: Argument, made: Mapping[str, set[str]]) -> bool:
    name = one.called.name
    return any(undoes(name, other) or undoes(other, name) for other in made.get(ast.unparse(one.value), ()))


def count_outside(trial: Trial, facts: ModuleFacts) -> int:
    """Counts the arguments of the module's own callables that are certainly outside their domains.

    What only running the code would show counts as inside, and so does anything where the domain is known from a name
    alone. Where `facts.domains` is empty, annotations decide.
    """
    return len(outside_arguments(trial, facts))


def outside_arguments(trial: Trial, facts: ModuleFacts) -> tuple[Argument, ...]:
    """The arguments of a trial that are certainly outside their domains, in order of appearance."""
    return _outside(*arguments_of(trial, facts))


def _outside(found: Iterable[Argument], kinds: Kinds) -> tuple[Argument, ...]:
    by_call: dict[int, list[Argument]] = defaultdict(list)
    for one in found:
        by_call[one.call].append(one)
    return tuple(one for beside in by_call.values() for one in beside if _is_outside(one, beside, kinds))


def _is_outside(one: Argument, beside: Sequence[Argument], kinds: Kinds) -> bool:
    """Whether an argument is outside its domain, or does not go with those of the same call."""
    return (
        not is_inside(one.value, one.domain, kinds, conditions=not _checks(one.called, one.parameter))
        or _is_implausible(one)
        or _is_negative_place(one)
        or _is_of_another_type(one)
        or _is_no_object(one)
        or _is_no_text(one)
        or _promises_order(one, beside)
        or _is_reversed(one, beside)
        or _begins_after_default(one, beside)
        or _is_of_another_length(one, beside)
        or _orders_nothing(one, beside)
    )


def _orders_nothing(one: Argument, beside: Iterable[Argument]) -> bool:
    """Whether a key answers the same for all items of the call, or for anything."""
    if not KEY_NAME.fullmatch(one.parameter):
        return False
    others = [other.value for other in beside if other is not one]
    lists = [node for node in others if isinstance(node, ast.List | ast.Tuple) and len(node.elts) > 1]
    sorts = is_sorting(one.called.name)
    return any(is_idle_key(one.value, literal_or(node, []), sorts=sorts) for node in lists)


def _is_of_another_length(one: Argument, beside: Iterable[Argument]) -> bool:
    """Whether a list has not as many items as the one that is read at the same places."""
    length = one.domain.related("same length as")
    if not length or not isinstance(one.value, ast.List | ast.Tuple):
        return False
    others = [other.value for other in beside if other.parameter == length]
    return any(isinstance(node, ast.List | ast.Tuple) and len(node.elts) != len(one.value.elts) for node in others)


_ENDS = {
    "begin": "end",
    "start": "stop end",
    "first": "last",
    "lo": "hi",
    "low": "high",
    "lower": "upper",
    "min": "max",
    "minimum": "maximum",
}
"""What a range ends with, by what it begins with: words of names such as `begin`, `min_size`, `start_at`."""


def _is_reversed(one: Argument, beside: Iterable[Argument]) -> bool:
    """Whether a number ends a range before the number that begins it, and the callable does not look at that.

    With a step a range may run backwards.
    """
    if any(item.name == "step" for item in one.called.parameters):
        return False
    last = literal_or(one.value, None)
    if not isinstance(last, int | float) or isinstance(last, bool) or one.domain.related("member of"):
        return False
    for other in beside:
        if not _bound_a_range(other.parameter, one.parameter):
            continue
        first = literal_or(other.value, None)
        compares = (other.parameter, f"compared:{one.parameter}") in one.called.uses
        if isinstance(first, int | float) and last < first and not compares and not _checks(one.called, one.parameter):
            return True
    return False


def _begins_after_default(one: Argument, beside: Iterable[Argument]) -> bool:
    """Whether a number begins a range after the default that ends it: `Span(1)` of `start=0, end=0`.

    Where only the end has a default, that may stand for none.
    """
    first = literal_or(one.value, None)
    if not isinstance(first, int | float) or isinstance(first, bool) or one.declared is None:
        return False
    if literal_or(one.declared.default or "None", None) is None or _checks(one.called, one.parameter):
        return False
    passed = {other.parameter for other in beside}
    for item in one.called.parameters:
        last = literal_or(item.default or "None", None)
        compares = (one.parameter, f"compared:{item.name}") in one.called.uses
        is_end = item.name not in passed and _bound_a_range(one.parameter, item.name) and not compares
        if is_end and isinstance(last, int | float) and not isinstance(last, bool) and last < first:
            return True
    return False


def _bound_a_range(first: str, last: str) -> bool:
    """Whether two names differ in one word, of which one begins a range and the other ends it."""
    words, others = first.split("_"), last.split("_")
    differing = [(here, there) for here, there in zip(words, others, strict=False) if here != there]
    return len(words) == len(others) and any(
        len(differing) == 1 and there in _ENDS.get(here, "").split() for here, there in differing
    )


def _is_no_object(one: Argument) -> bool:
    """Whether a number or text is passed where the name is that of a class and its members are used."""
    if one.domain.kind != "object" or not isinstance(literal_or(one.value, None), int | float | str):
        return False
    return any(name == one.parameter and use.startswith(("method:", "attribute:")) for name, use in one.called.uses)


_TEXT_NAME = re.compile(
    r"(\w+_)?(path|file_?name|dir|directory|folder|url|uri|e?mail|html|xml|regexp?|encoding|host|hostname|text|string)"
)


def _is_no_text(one: Argument) -> bool:
    """Whether a number or collection is passed where a name says text, and nothing else says more."""
    if one.domain.kind not in ("text", "path") or one.domain.source != "name":
        return False
    passed = literal_or(one.value, None)
    return isinstance(passed, int | float | dict | list | tuple | set) and bool(_TEXT_NAME.fullmatch(one.parameter))


def _promises_order(one: Argument, beside: Iterable[Argument]) -> bool:
    """Whether a flag says that the data is sorted, and data of the same call is not."""
    if not re.fullmatch(SORTED_FLAG, one.parameter) or literal_or(one.value, False) is not True:
        return False
    data = [literal_or(other.value, None) for other in beside if other is not one]
    return not any(isinstance(items, list | tuple) and _is_ordered(items) for items in data)


def _is_ordered(items: list[Any] | tuple[Any, ...]) -> bool:
    try:
        return list(items) == sorted(items)
    except TypeError:  # what has no order is not sorted
        return False


_MADE = re.compile(r"(datetime\.)?(timedelta|datetime|date|time|timezone)\(")
"""Defaults that no literal is of the type of."""


def _is_of_another_type(one: Argument) -> bool:
    """Whether a literal is of another type than the parameter's default, which nothing else says more about."""
    item = one.declared
    default = literal_or(item.default or "None", None) if item is not None and item.annotation is None else None
    passed = literal_or(one.value, None)
    if item is not None and item.annotation is None and _MADE.match(item.default or ""):
        return isinstance(passed, int | float | str | list | tuple | dict) and one.domain.kind != "union"
    if default is None or passed is None or one.domain.choices or one.domain.kind in ("union", "any", "callable"):
        return isinstance(default, bool) and passed is not None and not isinstance(passed, bool)
    if isinstance(default, int | float) and not isinstance(default, bool):
        return not isinstance(passed, int | float)
    if default == ():  # the empty default of whatever is iterated
        return not isinstance(passed, tuple | list | set | frozenset | str | dict)
    return not isinstance(passed, type(default))


def _is_negative_place(one: Argument) -> bool:
    """Whether a negative number is passed for a position or a number of things, and the callable does not refuse it."""
    negative = isinstance(one.value, ast.UnaryOp) and isinstance(one.value.op, ast.USub)
    counts = counts_things(one.called, one.parameter, one.declared)
    if not negative or not counts or _checks(one.called, one.parameter):
        return False
    compared = any(part.name == one.parameter and part.operand in ("0", "1", "-1") for part in one.called.comparisons)
    return not compared and ast.unparse(one.value) not in one.domain.choices


def _is_implausible(one: Argument) -> bool:
    """Whether bytes or a complex number is passed where nothing says that the callable takes them."""
    if not isinstance(one.value, ast.Constant) or not isinstance(one.value.value, bytes | complex):
        return False
    annotation = one.declared.annotation if one.declared is not None else ""
    known = (one.domain.kind, one.domain.type_name, annotation, one.called.uses)
    name = type(one.value.value).__name__
    return name not in str(known) and not any(
        name in part.type_name or name == part.kind for part in one.domain.alternatives
    )


def _checks(called: CallableFacts, name: str) -> bool:
    """Whether a callable itself refuses some values of a parameter: a value that it refuses then is well meant.

    What looks keys up with a default is ready for those that are missing: nodes of a graph without edges, for example.
    """
    if (name, "method:get") in called.uses:
        return True
    return any(re.search(rf"\b{re.escape(name)}\b", site.condition or "") for site in called.raises)
