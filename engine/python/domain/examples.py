"""Gives natural values of a domain: the representative first, then further plain ones, then edges as companions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from ....utils.python_source import literal_or, shared_expression
from ..facts.type_inference import name_entry
from ..model.candidate_parts import combined, container, dictionary
from ..model.domain import UNKNOWN, ParameterDomain
from ..model.model import Candidate
from . import example_tables as tables
from .conditions import meets
from .degenerate import is_degenerate
from .example_texts import rotated, signs_beside, text_sources, texts_named
from .functions import function_sources
from .relations import indices_of, related_values

BuildObjects = Callable[[ParameterDomain, int], Sequence[Candidate]]
"""Objects of a domain's class, or values of a standard type; the second argument chooses between alike ones."""

_MAXIMUM_DEPTH = 4
_MAXIMUM_VALUES = 14
_SMALL = frozenset("1 2 3 4 5".split())


@dataclass(frozen=True, slots=True)
class NaturalValue:
    """A value of a domain that a person would write.

    Attributes:
        degenerate: whether it is empty, zero, an identity, of one element or of equal elements: a companion, no anchor.
    """

    candidate: Candidate
    degenerate: bool = False


@dataclass(frozen=True, slots=True)
class ExampleContext:
    """What the values of a domain depend on besides the domain.

    Attributes:
        name: the parameter's name, or its noun for elements.
        place: how many parameters of the same kind come before it: alike parameters get different values.
        others: representative values of other parameters, as source, for preconditions that relate to them.
        build: builds objects; None where none can be built.
        among: whether another parameter takes a collection, whose few items a number is mostly about.
        items: the domain of that collection's items; None where it is not known.
        default: source of the parameter's default; empty without one.
        several_lines: whether the callable is about the lines of a text.
    """

    name: str = ""
    place: int = 0
    others: Mapping[str, str] | None = None
    build: BuildObjects | None = None
    depth: int = 0
    among: bool = False
    items: ParameterDomain | None = None
    default: str = ""
    several_lines: bool = False

    def inner(self, place: int | None = None) -> ExampleContext:
        """The context of an element."""
        at = self.place if place is None else place
        return ExampleContext(self.name, at, self.others, self.build, self.depth + 1)

    def beside(self, others: Mapping[str, str]) -> ExampleContext:
        """The same context with the representative values of other parameters."""
        return replace(self, others=others)


def natural_values(domain: ParameterDomain, context: ExampleContext | None = None) -> tuple[NaturalValue, ...]:
    """Values of a domain, deterministic, the representative first; empty where nothing is known.

    None of them is outside the domain's bounds and preconditions.
    """
    context = context or ExampleContext()
    if context.depth > _MAXIMUM_DEPTH:
        return ()
    found: dict[str, NaturalValue] = {}
    # 0 and 1 are positions as good as any; a sign is what some names and defaults stand for.
    is_position = tables.POSITION_NAME.fullmatch(context.name) is not None
    meant = {*texts_named(context.name), *map(repr, signs_beside(context.default))}
    for candidate in _candidates(domain, context):
        node = shared_expression(candidate.source)
        if node is None or candidate.source in found or not meets(node, domain):
            continue
        is_meant = is_position or candidate.source in meant
        found[candidate.source] = NaturalValue(candidate, not is_meant and is_degenerate(node, domain))
    # A degenerate value is never the representative.
    ordered = sorted(found.values(), key=lambda value: value.degenerate)
    return tuple(ordered[:_MAXIMUM_VALUES])


def representative_value(domain: ParameterDomain, context: ExampleContext | None = None) -> Candidate | None:
    """The value that a person would write first; None where every known one is degenerate."""
    values = natural_values(domain, context)
    return values[0].candidate if values and not values[0].degenerate else None


def _candidates(domain: ParameterDomain, context: ExampleContext) -> Sequence[Candidate]:
    related = _plain(*related_values(domain, context.name, context.place, context.others or {}))
    makers: Mapping[str, Callable[[ParameterDomain, ExampleContext], Sequence[Candidate]]] = {
        "integer": _integers,
        "real": _reals,
        "text": _texts,
        "boolean": lambda *_: _plain("True", "False"),
        "bytes": lambda _, at: _plain(*rotated(tables.BYTES, at.place), "b''"),
        "sequence": _sequences,
        "set": _sequences,
        "iterator": _sequences,
        "tuple": _tuples,
        "mapping": _mappings,
        "matrix": _matrices,
        "graph": lambda one, _: _plain(*tables.graph_sources(one)),
        "choice": _chosen,
        "callable": lambda one, at: _plain(*function_sources(one, at.name, at.default, at.items)),
        "union": _unions,
        "date": lambda _, at: _dated(rotated(tables.DATES, at.place)),
        "datetime": lambda _, at: _dated(rotated(tables.DATETIMES, at.place)),
        "duration": lambda _, at: _dated(rotated(tables.DURATIONS, at.place)),
    }
    make = makers.get(domain.kind, _built)
    return [*related, *make(domain, context)]


def _plain(*sources: str) -> list[Candidate]:
    return [Candidate(source, origin="domain") for source in sources]


def _dated(sources: Sequence[str]) -> list[Candidate]:
    return [Candidate(source, ("import datetime",), origin="domain") for source in sources]


def _row(rows: Sequence[tuple[str, ...]], place: int) -> tuple[str, ...]:
    return rows[place % len(rows)]


# Numbers


def _integers(domain: ParameterDomain, context: ExampleContext) -> list[Candidate]:
    low, high = domain.minimum, domain.maximum
    found = [*rotated(tables.INTEGERS, context.place), *tables.MORE_INTEGERS]
    if context.among:
        found = [*rotated(("2", "3"), context.place), *found]
    if context.place and tables.END_NAME.fullmatch(context.name):
        found = [*rotated(tables.ENDS, context.place), *found]  # where a start comes before it
    edges = ["0", "1", "-1", "-5"]
    if context.default in _SMALL:
        found = [*map(str, range(int(context.default) + 1, int(context.default) + 4)), *found]  # its neighbours
        edges = edges[:2]  # a size, a count, a step
    if domain.requires("index into"):
        return _plain(*indices_of((context.others or {}).get(domain.related("index into"), ""), context.name))
    if tables.POSITION_NAME.fullmatch(context.name):
        return _plain("1", "0", "2", "3")
    if low is not None and high is not None:
        # The middle of a narrow range, then its ends.
        middle = int(low + (high - low) // 2)
        found = [text for text in found if low <= int(text) <= high] or [str(middle)]
        edges = [str(int(low)), str(int(high)), str(middle)]
    elif low is not None:
        found = [text for text in found if int(text) > low] or [str(int(low) + 5), str(int(low) + 3)]
        edges = [str(int(low)), str(int(low) + 1), *edges]
    elif high is not None:
        found = [text for text in found if int(text) < high] or [str(int(high) - 3)]
        edges = [str(int(high)), str(int(high) - 1), *edges]
    return _plain(*(text for text in domain.choices), *found[:4], *edges)


def _reals(domain: ParameterDomain, context: ExampleContext) -> list[Candidate]:
    if domain.type_name == "Decimal" and tables.SHARE_NAME.fullmatch(context.name):
        values = [f"Decimal('{text}')" for text in (*rotated(tables.SHARES, context.place), "0", "1")]
        return [Candidate(value, ("from decimal import Decimal",), origin="domain") for value in values]
    if domain.type_name in ("Decimal", "Fraction", "complex"):
        return list(_built(domain, context))
    found = rotated(tables.REALS, context.place)
    if context.place and tables.END_NAME.fullmatch(context.name):
        found = ["7.5", *found]
    if domain.maximum is not None and domain.maximum <= 1:
        found = rotated(("0.25", "0.5", "0.75"), context.place)
    return _plain(*domain.choices, *found, "0.0", "1.0", "-1.5")


# Texts


def _texts(domain: ParameterDomain, context: ExampleContext) -> list[Candidate]:
    lines = context.several_lines and not context.place
    found = text_sources(domain, context.name, context.place, context.default, several_lines=lines)
    return _plain(*map(repr, found))


# Containers

_OPEN = frozenset({"Iterable", "Sequence", "Collection", "Container", "Sized"})


def _sequences(domain: ParameterDomain, context: ExampleContext) -> list[Candidate]:
    kind = domain.type_name if domain.kind == "sequence" else (domain.type_name or domain.kind)
    element = _of_one_kind(domain.element or UNKNOWN)
    if element.kind == "any" and domain.source == "annotation" and domain.type_name in _OPEN:
        return []  # of what may hold anything, the plainest values are chosen elsewhere
    rows = [_items(element, context, domain, place) for place in (context.place, context.place + 1)]
    rows = [row for row in rows if row]
    if not rows:
        return []
    first = rows[0]
    if domain.length is not None:
        # A fixed number of items: as many as that.
        rows = [[*row, *row, *row][: domain.length] for row in rows]
        return [container(row, kind) for row in rows]
    found = [container(row, kind) for row in rows]
    if domain.kind != "set" and not domain.requires("unique"):
        repeated = [*first[:1], *first[:2], *first[1:2]]
        found.append(container(repeated, kind))
        found.append(container([*first[:1]] * 3, kind))
    found.append(container(sorted(first, key=_sort_key), kind))
    found.append(container(first[:1], kind))
    found.append(container([], kind))
    return found


def _of_one_kind(element: ParameterDomain) -> ParameterDomain:
    """The domain of items where both texts and bytes are taken: a person writes texts, and does not mix them."""
    if not {"text", "bytes"} <= {one.kind for one in element.alternatives}:
        return element
    return next(one for one in element.alternatives if one.kind == "text")


def _sort_key(item: Candidate) -> tuple[str, float, str]:
    value = literal_or(item.source, None)
    number = float(value) if isinstance(value, int | float) else 0.0
    return type(value).__name__, number, item.source


def _items(element: ParameterDomain, context: ExampleContext, domain: ParameterDomain, place: int) -> list[Candidate]:
    """Three to five items of a container, distinct, sorted only where that is a precondition."""
    in_order = domain.requires("sorted")
    if element.kind in ("any", "integer") and element.maximum == 1 and element.minimum in (0, None):
        return _plain(*_row(tables.BINARY_ROWS, place))
    named = name_entry(context.name) if element.kind == "any" else None
    if named is not None and named[0] == "str":
        return _plain(*map(repr, _row(tables.WORD_ROWS, place)))  # the pieces of a path or a text
    if element.kind == "any" or (
        element.kind == "integer" and not element.choices and not element.requires("index into")
    ):
        rows = tables.SORTED_INTEGER_ROWS if in_order else tables.INTEGER_ROWS
        return _plain(*_row(rows, place))
    if element.kind == "real" and not element.type_name and not element.choices:
        row = _row(tables.REAL_ROWS, place)
        return _plain(*(sorted(row, key=float) if in_order else row))
    if element.kind == "boolean":
        return _plain(*_row(tables.BOOLEAN_ROWS, place))
    if element.kind == "text" and element.samples and domain.length == len(element.samples):
        return _plain(*element.samples)
    if element.kind == "text" and not element.choices and not element.preconditions:
        if element.length == 1:
            return _plain(*map(repr, sorted(_row(tables.LETTER_ROWS, place))))
        return _plain(*map(repr, _row(tables.SORTED_WORD_ROWS if in_order else tables.WORD_ROWS, place)))
    if element.kind == "tuple" or (element.kind == "sequence" and element.length is not None):
        return _records(element, context, place)
    if element.kind in ("sequence", "set") and element.element is not None:
        inner = [_items(element.element, context.inner(at), element, at) for at in (place, place + 1, place + 2)]
        # Rows of different lengths, so that no two are alike.
        return [container(row[: len(row) - at], element.type_name) for at, row in enumerate(inner) if row]
    if element.kind == "object" and context.build is not None:
        return [
            Candidate(made.source, made.imports, made.arrange, made.fixtures) for made in _several(element, context)
        ]
    values = [value.candidate for value in natural_values(element, context.inner(place)) if not value.degenerate]
    return values[:3]


def _several(element: ParameterDomain, context: ExampleContext) -> list[Candidate]:
    """Up to three different objects of a class."""
    if context.build is None:
        return []
    found: dict[str, Candidate] = {}
    for at in range(3):
        for made in context.build(element, at)[:1]:
            found.setdefault(made.source, made)
    for made in context.build(element, 0):
        if len(found) < 3:
            found.setdefault(made.source, made)
    return list(found.values())[:3]


def _fields(domain: ParameterDomain) -> list[ParameterDomain]:
    if domain.fields:
        return [field for _, field in domain.fields]
    return [domain.element or UNKNOWN] * (domain.length or 2)


def _records(element: ParameterDomain, context: ExampleContext, place: int) -> list[Candidate]:
    """Tuples of one shape: intervals for names and fields that say so, else each field with values of its own."""
    fields = _fields(element)
    kind = "tuple" if element.kind == "tuple" and element.type_name != "list" else element.type_name
    numeric = all(field.kind in ("integer", "any", "real") for field in fields)
    names = {name for name, _ in element.fields}
    if numeric and len(fields) == 2:
        is_interval = tables.INTERVAL_NAME.fullmatch(context.name) is not None or names >= {"start", "end"}
        rows = (tables.INTERVALS if is_interval else tables.NUMBER_PAIRS)[place % 2]
        return [container(_plain(*row), kind) for row in rows]
    columns = [
        _column(field, context, place + sum(other.kind == field.kind for other in fields[:at]))
        for at, field in enumerate(fields)
    ]
    rows = [[cell for cell in row if cell is not None] for row in zip_longest(*columns)]
    return [container(row, kind) for row in rows[:3] if len(row) == len(fields)]


def _column(field: ParameterDomain, context: ExampleContext, place: int) -> list[Candidate]:
    items = _items(field, context.inner(place), UNKNOWN, place)
    if not items:
        return []
    return [*items, *items, *items][:3]


def _tuples(domain: ParameterDomain, context: ExampleContext) -> list[Candidate]:
    return _records(domain, context, context.place)


def _mappings(domain: ParameterDomain, context: ExampleContext) -> list[Candidate]:
    if domain.fields:
        parts: list[Candidate] = []
        for at, (name, field) in enumerate(domain.fields):
            alike = sum(other.kind == field.kind for _, other in domain.fields[:at])
            made = representative_value(field, ExampleContext(name, alike, None, context.build, context.depth + 1))
            if made is None:
                return []
            parts.append(combined(f"{name!r}: {made.source}", [made]))
        return [dictionary(parts, domain.type_name)]
    if tables.VARIABLES_NAME.fullmatch(context.name) and domain.source != "annotation":
        return [*_plain("{'name': 'value'}", "{'name': 'value', 'page': 2}", "{}")]  # what sample templates ask for
    key, value = domain.key or ParameterDomain("text"), domain.value or ParameterDomain("integer")
    if key.kind == "any":
        key = ParameterDomain("text")
    keys = _items(key, context.inner(), UNKNOWN, context.place)
    values = _items(value, context.inner(), UNKNOWN, context.place)
    if not keys or not values:
        return []
    if [one.source for one in values] == [one.source for one in keys]:
        # What stands below a key is something else than the key.
        values = _items(value, context.inner(), UNKNOWN, context.place + 1)
    values = [*values, *values, *values]
    parts = [combined(f"{one.source}: {other.source}", (one, other)) for one, other in zip(keys, values, strict=False)]
    return [
        dictionary(parts[:3], domain.type_name),
        dictionary(parts[1:3], domain.type_name),
        dictionary(parts[:1], domain.type_name),
        dictionary([], domain.type_name),
    ]


def _matrices(domain: ParameterDomain, context: ExampleContext) -> list[Candidate]:
    cell = domain.element or UNKNOWN
    if cell.choices:
        tokens = list(cell.choices)
        rows = [rotated(tokens, at) for at in range(3)]
        text = ", ".join(f"[{', '.join((row * 3)[:3])}]" for row in rows)
        return _plain(f"[{text}]")
    if cell.kind == "text":
        return _plain(*rotated(tables.TEXT_MATRICES, context.place), "[['a']]", "[]")
    if cell.kind == "real":
        return _plain(*rotated(tables.REAL_MATRICES, context.place), "[[1.0]]")
    if cell.maximum == 1 or re.fullmatch(r"(maze|grid)\d?", context.name):
        return _plain(*rotated(tables.GRIDS, context.place), "[[1, 0], [0, 1]]", "[[0, 0], [0, 0]]", "[[1]]", "[]")
    found = rotated(tables.MATRICES, context.place)
    wide = [] if domain.requires("square") else ["[[1, 2, 3], [4, 5, 6]]"]
    return _plain(*found, *wide, "[[5]]", "[[0, 0], [0, 0]]", *([] if domain.requires("square") else ["[]"]))


def _chosen(domain: ParameterDomain, context: ExampleContext) -> list[Candidate]:
    imports = (f"from {domain.module} import {domain.type_name}",) if domain.module else ()
    return (
        [Candidate(text, imports, origin="domain") for text in rotated(domain.choices, context.place)]
        if domain.choices
        else []
    )


def _unions(domain: ParameterDomain, context: ExampleContext) -> list[Candidate]:
    pools = [[value.candidate for value in natural_values(one, context)] for one in domain.alternatives]
    rows = zip_longest(*pools)
    return [item for row in rows for item in row if item is not None]


def _built(domain: ParameterDomain, context: ExampleContext) -> Sequence[Candidate]:
    return context.build(domain, context.place) if context.build is not None else ()
