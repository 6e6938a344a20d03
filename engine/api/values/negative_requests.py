"""Makes values that violate each documented constraint once, and values at its edge."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from ....utils.regex_examples import matching, not_matching
from ..document.schemas import accepts_null, references, type_of
from .data import NOTHING, SampleValues, bounds, number, sized

_DEEPEST = 3
_BAD_FORMATS = {
    "date": "2024-13-45",
    "date-time": "yesterday",
    "time": "25:61",
    "email": "not-an-email",
    "ipv4": "999.1.1.1",
    "ipv6": "not-an-address",
    "uuid": "not-a-uuid",
    "uri": "not a uri",
}
_LATEST = {"date": ("0001-01-01", "9999-12-31")}
_LONG = 5000
_MOST_ITEMS = 200
_MOST_PROPERTIES = 100


@dataclass(frozen=True, slots=True)
class ValueVariant:
    """A value that violates one constraint (`kind`), or is at its edge (`edge_…`).

    Attributes:
        place: location of the constraint, as keys from the whole value.
        words: description, such as `quantity below its minimum`.
    """

    kind: str
    place: tuple[str | int, ...]
    words: str
    value: Any


MISSING: Any = object()
"""In a variant's place nothing is sent at all."""


def broken_values(schema: Any, samples: SampleValues, name: str, *, as_text: bool = False) -> Iterator[ValueVariant]:
    """Yield values that violate a schema, one constraint each.

    Args:
        name: name of the field or parameter.
        as_text: the value is sent as text (a parameter), where every value is a string.
    """
    whole = samples.merged(schema)
    kind = type_of(whole)
    wrong = _wrong_type(kind, as_text)
    if wrong is not NOTHING and samples.problem(wrong, schema) is not None:
        yield ValueVariant("type", (), f"{name} of the wrong type", wrong)
    # null outside of an enumeration is covered by `enum`.
    if not as_text and not accepts_null(whole) and "enum" not in whole:
        yield ValueVariant("null", (), f"{name} null", None)
    for variant in (*_broken_plainly(whole, kind, name), *_broken_list(whole, kind, name, samples, as_text)):
        if samples.problem(variant.value, schema) is not None or variant.kind == "format":
            yield variant


def _wrong_type(kind: str, as_text: bool) -> Any:
    if kind in ("integer", "number", "boolean"):
        return "not-a-number" if kind != "boolean" else "perhaps"
    if as_text or not kind:
        return NOTHING
    return {"string": 7, "array": "not a list", "object": "not an object"}.get(kind, NOTHING)


def _broken_plainly(whole: Mapping[str, Any], kind: str, name: str) -> Iterator[ValueVariant]:
    if "enum" in whole or "const" in whole:
        unknown = 999999 if kind in ("integer", "number") else "no-such-value"
        yield ValueVariant("enum", (), f"{name} outside its values", unknown)
        return
    if kind in ("integer", "number"):
        low, high = bounds(whole)
        step = whole.get("multipleOf") or (1 if kind == "integer" else 0.01)
        if low is not None:
            yield ValueVariant("minimum", (), f"{name} below its minimum", _plain(low - step))
        if high is not None:
            yield ValueVariant("maximum", (), f"{name} above its maximum", _plain(high + step))
        if whole.get("multipleOf") and whole["multipleOf"] != 1:
            yield ValueVariant("multiple", (), f"{name} no multiple of {step}", _plain(number(whole) + step / 2))
    elif kind == "string":
        yield from _broken_text(whole, name)


def _broken_list(
    whole: Mapping[str, Any], kind: str, name: str, samples: SampleValues, as_text: bool
) -> Iterator[ValueVariant]:
    if kind != "array":
        return
    least, most = int(whole.get("minItems") or 0), whole.get("maxItems")
    if least:
        few = samples.items(whole, name, least - 1)
        if few is not None:
            yield ValueVariant("min_items", (), f"{name} with too few items", few)
    if isinstance(most, int) and most < _MOST_ITEMS:
        many = samples.items(whole, name, most + 1)
        if many is not None:
            yield ValueVariant("max_items", (), f"{name} with too many items", many)
    if whole.get("uniqueItems"):
        different = samples.items(whole, name, max(1, least - 1))
        if different:
            yield ValueVariant("unique_items", (), f"{name} with an item twice", [*different, different[-1]])
    if as_text:
        for value in broken_values(whole.get("items", True), samples, f"an item of {name}", as_text=True):
            yield ValueVariant(value.kind, (), value.words, [value.value])


def _broken_text(whole: Mapping[str, Any], name: str) -> Iterator[ValueVariant]:
    shortest, longest = int(whole.get("minLength") or 0), whole.get("maxLength")
    pattern, form = whole.get("pattern"), whole.get("format")

    def of_length(length: int) -> str | None:
        if isinstance(pattern, str):
            return matching(pattern, shortest=length, longest=length) if length else ""
        return sized("x", length, length)

    if shortest:
        short = of_length(shortest - 1)
        if short is not None:
            yield ValueVariant("min_length", (), f"{name} too short", short)
    if isinstance(longest, int) and longest < _LONG:
        long = of_length(longest + 1)
        if long is not None:
            yield ValueVariant("max_length", (), f"{name} too long", long)
    if isinstance(pattern, str):
        odd = not_matching(pattern, shortest=max(1, shortest), longest=longest)
        if odd is not None:
            yield ValueVariant("pattern", (), f"{name} outside its pattern", odd)
    if form in _BAD_FORMATS:
        yield ValueVariant("format", (), f"{name} that is no {form}", _BAD_FORMATS[form])


def edge_values(schema: Any, samples: SampleValues, name: str) -> Iterator[ValueVariant]:
    """Yield values at the edge of a schema, and the other values of an enumeration."""
    whole = samples.merged(schema)
    kind = type_of(whole)
    usual = samples.value(schema, name)
    found: list[tuple[str, str, Any]] = []
    if isinstance(whole.get("enum"), list):
        found = [("edge_enum", f"{name} {option}", option) for option in whole["enum"][:6] if option is not None]
    elif kind in ("integer", "number"):
        low, high = bounds(whole)
        found = [("edge_minimum", f"the least {name}", low), ("edge_maximum", f"the greatest {name}", high)]
        found = [(key, words, _plain(value)) for key, words, value in found if value is not None]
    elif kind == "boolean":
        found = [("edge_enum", f"{name} {str(flag).lower()}", flag) for flag in (True, False)]
    elif kind == "string" and whole.get("format") in _LATEST:
        first, last = _LATEST[whole["format"]]
        found = [("edge_first", f"the first {name}", first), ("edge_last", f"the last {name}", last)]
    # Texts of other formats are passed over: a length alone does not make them valid.
    elif kind == "string" and not whole.get("format"):
        found = list(_edge_texts(whole, name))
    elif kind == "array":
        counts = (
            ("edge_min_items", "the fewest", whole.get("minItems")),
            ("edge_max_items", "the most", whole.get("maxItems")),
        )
        lists = [(key, words, samples.items(whole, name, count)) for key, words, count in counts if _countable(count)]
        found = [(key, f"{words} {name}", items) for key, words, items in lists if items]
    for key, words, value in found:
        # The usual value is sent by the baseline already.
        if value != usual and samples.problem(value, schema) is None:
            yield ValueVariant(key, (), words, value)


def _countable(count: Any) -> TypeGuard[int]:
    return isinstance(count, int) and 0 < count < _MOST_ITEMS


def _edge_texts(whole: Mapping[str, Any], name: str) -> Iterator[tuple[str, str, Any]]:
    shortest, longest, pattern = int(whole.get("minLength") or 0), whole.get("maxLength"), whole.get("pattern")
    lengths = [("edge_min_length", f"the shortest {name}", shortest)] if shortest else []
    if isinstance(longest, int) and longest < _LONG:
        lengths.append(("edge_max_length", f"the longest {name}", longest))
    for key, words, length in lengths:
        plain = sized("x", length, length)
        value = matching(pattern, shortest=length, longest=length) if isinstance(pattern, str) else plain
        if value is not None:
            yield key, words, value


def body_variants(
    schema: Any,
    body: Any,
    samples: SampleValues,
    place: tuple[str | int, ...] = (),
    *,
    as_text: bool = False,
    within: frozenset[str] = frozenset(),
) -> Iterator[ValueVariant]:
    """Yield bodies with one constraint violated or at its edge.

    A component that contains itself is varied once, not again at each depth.

    Args:
        body: a valid body that has the locations to vary.
        place: location of the schema in the body.
        as_text: the body is a form, whose fields are all sent as texts or files.
        within: references to the enclosing components.
    """
    names = references(schema)
    # The component contains itself: its variants were made further out.
    if names & within:
        return
    within |= names
    whole = samples.merged(schema)
    here = value_at(body, place)
    if isinstance(here, list):
        if here and len(place) < _DEEPEST:
            yield from body_variants(whole.get("items", True), body, samples, (*place, 0), within=within)
        return
    if not isinstance(here, dict):
        return
    required = set(whole.get("required") or ())
    properties = whole.get("properties") or {}
    for name, inner in properties.items():
        below = (*place, name)
        words = ".".join(str(part) for part in below)
        if name in required and name in here:
            yield ValueVariant("missing", below, f"{words} missing", replace_value(body, below, MISSING))
        # What a client sends there is sent as a file, so it violates nothing.
        if as_text and is_file(samples.merged(inner)):
            continue
        for variant in (*broken_values(inner, samples, words, as_text=as_text), *edge_values(inner, samples, words)):
            yield ValueVariant(variant.kind, below, variant.words, replace_value(body, below, variant.value))
        if name in here and len(below) < _DEEPEST and not as_text:
            yield from body_variants(inner, body, samples, below, within=within)
    yield from _broken_size(whole, here, body, samples, place)
    if whole.get("additionalProperties") is False:
        below = (*place, "unexpected")
        words = "a property that is not allowed" + (f" in {'.'.join(str(part) for part in place)}" if place else "")
        yield ValueVariant("extra", below, words, replace_value(body, below, "value"))


def _broken_size(
    whole: Mapping[str, Any], here: dict[str, Any], body: Any, samples: SampleValues, place: tuple[str | int, ...]
) -> Iterator[ValueVariant]:
    """Yield an object with too few properties, and one with too many."""
    words = ".".join(str(part) for part in place) or "the body"
    least, most = whole.get("minProperties"), whole.get("maxProperties")
    required = [name for name in whole.get("required") or () if name in here]
    if isinstance(least, int) and len(required) < least:
        names = [*required, *(name for name in here if name not in required)][: least - 1]
        fewer = {name: here[name] for name in names}
        changed = replace_value(body, place, fewer)
        yield ValueVariant("min_properties", place, f"{words} with too few properties", changed)
    others = whole.get("additionalProperties", True)
    if isinstance(most, int) and most < _MOST_PROPERTIES and others is not False:
        value = samples.value(others, "value")
        added = {f"more_{number}": value for number in range(1, most - len(here) + 2)}
        if value is not NOTHING:
            changed = replace_value(body, place, {**here, **added})
            yield ValueVariant("max_properties", place, f"{words} with too many properties", changed)


def is_file(whole: Mapping[str, Any]) -> bool:
    """Whether a merged schema describes a file in a form."""
    return whole.get("format") == "binary" or "contentMediaType" in whole


def value_at(value: Any, place: tuple[str | int, ...]) -> Any:
    """Return the value at a location; None where there is none."""
    for key in place:
        if isinstance(value, dict):
            value = value.get(str(key))
        elif isinstance(value, list) and isinstance(key, int) and key < len(value):
            value = value[key]
        else:
            return None
    return value


def replace_value(value: Any, place: tuple[str | int, ...], new: Any) -> Any:
    """Return a copy with another value at a location; MISSING removes it."""
    if not place:
        return copy.deepcopy(new)
    made = copy.deepcopy(value)
    holder = value_at(made, place[:-1])
    if new is MISSING:
        del holder[place[-1]]
    else:
        holder[place[-1]] = new
    return made


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return int(value) if value.is_integer() else round(value, 6)
    return value
