"""Resolves the references in a part of a document, as far as they end and the size limit allows."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from .grammar import EACH, children, copy_with_children, kind_at
from .problems import Parts, keys_of, look_up

_DEEPEST = 24


@dataclass(frozen=True, slots=True)
class ResolvedValue:
    """A value with references resolved.

    Attributes:
        kept: references that stay because what they lead to contains itself; sorted.
        cut: references that stay because there was no room; sorted.
        broken: references that stay because they lead nowhere; sorted.
    """

    value: Any
    kept: tuple[str, ...]
    cut: tuple[str, ...]
    broken: tuple[str, ...]


def resolve(document: dict[str, Any], parts: Parts, *, limit: int) -> ResolvedValue | None:
    """Resolves as many levels of references as fit below a place of a bundled document; None when not even the value
    itself fits.

    Args:
        limit: bytes of JSON that it may have.
    """
    found = look_up(document, parts)
    value, kind = (found[0], kind_at(document, found[1])) if found else (None, "")
    best: ResolvedValue | None = None
    for levels in range(_DEEPEST + 1):
        work = _Resolving(document, levels, limit)
        try:
            made = work.resolved(value, kind, (), levels)
        except (_NoRoomError, RecursionError):
            return best
        if size_of(made) > limit:
            return best
        best = ResolvedValue(made, tuple(sorted(work.kept)), tuple(sorted(work.cut)), tuple(sorted(work.broken)))
        if not work.cut:
            return best
    return best


def size_of(value: Any) -> int:
    """Bytes of a value as compact JSON."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"))


class _NoRoomError(Exception):
    """The value grows beyond the limit; raised before it is built."""


@dataclass(slots=True)
class _Resolving:
    document: dict[str, Any]
    levels: int
    room: int
    kept: set[str] = field(default_factory=set)
    cut: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)

    def resolved(self, value: Any, kind: str, active: tuple[str, ...], levels: int) -> Any:
        if not isinstance(value, dict):
            if isinstance(value, list) and kind.startswith(EACH):
                inner = {below[0]: (entry, what) for below, entry, what in children(value, kind)}
                return [self.resolved(*inner[index], active, levels) for index in range(len(value))]
            self._take(size_of(value))
            return value
        if kind and isinstance(value.get("$ref"), str):
            return self._reference(value, kind, value["$ref"], active, levels)
        followed = {below[0] for below, _, _ in children(value, kind)}
        self._take(size_of({key: entry for key, entry in value.items() if key not in followed}))

        def follow(below: Parts, entry: Any, what: str) -> Any:
            self._take(sum(len(str(key)) + 4 for key in below))
            return self.resolved(entry, what, active, levels)

        return copy_with_children(value, kind, follow)

    def _take(self, amount: int) -> None:
        self.room -= amount
        if self.room < 0:
            raise _NoRoomError

    def _reference(self, value: dict[str, Any], kind: str, reference: str, active: tuple[str, ...], levels: int) -> Any:
        found = look_up(self.document, keys_of(reference)) if reference.startswith("#") else None
        if reference in active:
            self.kept.add(reference)
        elif found is None:
            self.broken.add(reference)
        elif levels == 0:
            self.cut.add(reference)
        else:
            target = self.resolved(found[0], kind, (*active, reference), levels - 1)
            rest = {key: entry for key, entry in value.items() if key != "$ref"}
            if not rest or not isinstance(target, dict):
                return target
            return {**target, **self.resolved(rest, kind, active, levels)}
        self._take(len(reference) + 10)
        return dict(value)
