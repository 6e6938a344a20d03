"""Extracts objects that occur in many answers into constants; each answer then states only the differences."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..document.operations import snake_case
from ..model.literals import literal, saved_names_in
from ..probe.resource_model import resource_of

Json = Mapping[str, Any]
_LEAST_USES = 4
_LEAST_LENGTH = 50
_MOST_DIFFERENT = 3


@dataclass(slots=True)
class SharedPayloads:
    """The shared objects of a file: names by the keys of the object; see `find_shared_payloads`."""

    names: dict[tuple[str, ...], str] = field(default_factory=dict)
    objects: dict[tuple[str, ...], Json] = field(default_factory=dict)

    def source(self, value: Any) -> str:
        """Render a value of an answer."""
        if isinstance(value, list):
            return "[" + ", ".join(self.source(one) for one in value) + "]"
        plain = literal(value)
        if not isinstance(value, Mapping) or _kind(value) not in self.names:
            return plain
        name, base = self.names[_kind(value)], self.objects[_kind(value)]
        different = {key: one for key, one in value.items() if not _same(one, base[key])}
        told = f"{{**{name}, {literal(different)[1:]}" if different else name
        return told if len(different) <= _MOST_DIFFERENT and len(told) < len(plain) else plain

    def lines(self) -> list[str]:
        """Render the constants."""
        return [f"{name} = {literal(self.objects[kind])}" for kind, name in self.names.items()]


def find_shared_payloads(cases: Sequence[Json], taken: Sequence[str]) -> SharedPayloads:
    """Find objects of one shape that occur at least four times in answers, and name the commonest.

    Args:
        taken: names that the file already uses.
    """
    found: dict[tuple[str, ...], list[tuple[str, Json]]] = {}
    for case in cases:
        for object_ in _objects(case):
            found.setdefault(_kind(object_), []).append((str(case["operation"]["path"]), object_))
    made = SharedPayloads()
    for kind, uses in found.items():
        counts = Counter(json.dumps(one, sort_keys=True) for _, one in uses if not saved_names_in(one))
        if len(uses) < _LEAST_USES or not counts:
            continue
        # The commonest, of those the first.
        best = counts.most_common(1)[0][0]
        base = next(one for _, one in uses if json.dumps(one, sort_keys=True) == best)
        if len(literal(base)) >= _LEAST_LENGTH:
            made.names[kind] = _name(uses[0][0], [*taken, *made.names.values()])
            made.objects[kind] = base
    return made


def _objects(case: Json) -> Iterator[Json]:
    for one in case["expect"]:
        if one["kind"] == "body_equals":
            values = one["value"] if isinstance(one["value"], list) else [one["value"]]
            yield from (each for each in values if isinstance(each, Mapping))


def _kind(value: Json) -> tuple[str, ...]:
    return tuple(sorted(value))


def _same(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _name(path: str, taken: Sequence[str]) -> str:
    base = snake_case(resource_of(path)).upper() or "ANSWER"
    base = base if base.isidentifier() else "ANSWER"
    name, number = base, 2
    while name in taken:
        name, number = f"{base}_{number}", number + 1
    return name
