"""Compares two versions of a schema: what does the newer one refuse that the older one accepts? (T-08)

jsoncompat does not replace this: it gives no reasons, refuses schemas with an `$id`, and lets a new `pattern` pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_LOWER_BOUNDS = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_UPPER_BOUNDS = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_FIXED = ("pattern", "format", "const", "multipleOf", "uniqueItems")


@dataclass(frozen=True, slots=True)
class Incompatibility:
    """One way in which the newer schema refuses what the older one accepts. `path` is where in the schema."""

    path: str
    reason: str


def compatible(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Incompatibility, ...]:
    """What the newer schema may refuse although the older one accepts it; empty when it is compatible.

    Looks at types, values, required and allowed properties, bounds, patterns and items, following local references.
    Conditions (`if`, `allOf`, `anyOf`, `oneOf`, `not`) are compared as they are written: a difference counts.
    """
    return tuple(_Comparison(dict(old), dict(new)).differences("$", old, new))


class _Comparison:
    """Walks two schemas side by side; a pair of references already met is not walked again."""

    def __init__(self, old: dict[str, Any], new: dict[str, Any]) -> None:
        self._old, self._new = old, new
        self._met: set[tuple[str, str]] = set()

    def differences(self, path: str, old: Any, new: Any) -> Iterator[Incompatibility]:
        pair = (_reference(old), _reference(new))
        if pair[0] and pair[1]:
            if pair in self._met:
                return
            self._met.add((pair[0], pair[1]))
        old, new = _resolved(self._old, old), _resolved(self._new, new)
        if new is True or new == {} or old is False:
            return
        if new is False:
            yield Incompatibility(path, "nothing is allowed here any more")
            return
        if pair[1] and _reference(new) and pair[0] != pair[1]:
            yield Incompatibility(path, f"it refers to {pair[1]} now, compare bundled schemas")
        old = {} if old is True else old
        yield from _values(path, old, new)
        yield from _bounds(path, old, new)
        yield from self._properties(path, old, new)
        if "items" in new:
            yield from self.differences(f"{path}[]", old.get("items", True), new["items"])
        for keyword in ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "propertyNames"):
            if keyword in new and new[keyword] != old.get(keyword):
                yield Incompatibility(path, f"the condition under {keyword!r} differs")

    def _properties(self, path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Incompatibility]:
        for name in sorted(set(new.get("required", ())) - set(old.get("required", ()))):
            yield Incompatibility(path, f"{name!r} is required now")
        before, after = old.get("properties", {}), new.get("properties", {})
        rest_before, rest_after = old.get("additionalProperties", True), new.get("additionalProperties", True)
        for name in sorted(before.keys() | after.keys()):
            yield from self.differences(f"{path}.{name}", before.get(name, rest_before), after.get(name, rest_after))
        if rest_after is not True and rest_before is not False:
            if rest_after is False:
                yield Incompatibility(path, "further properties are not allowed any more")
            else:
                yield from self.differences(f"{path}.*", rest_before, rest_after)


def _values(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Incompatibility]:
    lost = _types(old) - _types(new)
    if lost and not (lost == {"integer"} and "number" in _types(new)):
        yield Incompatibility(path, f"type {', '.join(sorted(lost))} is not allowed any more")
    if "enum" in new:
        if "enum" not in old and "const" not in old:
            yield Incompatibility(path, "only some values are allowed now")
        gone = [one for one in old.get("enum", [old["const"]] if "const" in old else []) if one not in new["enum"]]
        if gone:
            yield Incompatibility(path, f"values not allowed any more: {', '.join(map(str, gone))}")
    for keyword in _FIXED:
        if keyword in new and new[keyword] != old.get(keyword):
            yield Incompatibility(path, f"{keyword} is {new[keyword]!r} now, it was {old.get(keyword)!r}")


def _bounds(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Incompatibility]:
    for keyword in _LOWER_BOUNDS:
        if keyword in new and (keyword not in old or new[keyword] > old[keyword]) and new[keyword] != 0:
            yield Incompatibility(path, f"{keyword} is {new[keyword]} now, it was {old.get(keyword)}")
    for keyword in _UPPER_BOUNDS:
        if keyword in new and (keyword not in old or new[keyword] < old[keyword]):
            yield Incompatibility(path, f"{keyword} is {new[keyword]} now, it was {old.get(keyword)}")


def _types(schema: dict[str, Any]) -> set[str]:
    given = schema.get("type")
    if given is None:
        return {"string", "number", "integer", "boolean", "null", "array", "object"}
    return {given} if isinstance(given, str) else set(given)


def _reference(schema: Any) -> str:
    return schema.get("$ref", "") if isinstance(schema, Mapping) else ""


def _resolved(root: dict[str, Any], schema: Any) -> Any:
    """Follow local references; one that leads elsewhere stays, and then counts when it differs (as a const does)."""
    seen = 0
    while (target := _reference(schema)).startswith("#") and seen < 50:
        seen += 1
        found: Any = root
        for part in target.removeprefix("#").strip("/").split("/"):
            found = found[part.replace("~1", "/").replace("~0", "~")]
        siblings = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**found, **siblings} if isinstance(found, Mapping) and siblings else found
    return schema
