"""Shapes the tool's answer about a document: everything if it is small, pages and parts if it is large."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .document_analysis import DocumentAnalysis, converted_note, operation_places
from .documents import Library
from .grammar import EACH, children, copy_with_children, kind_at
from .http_fetch import display_url
from .lookup import LocatedDocument
from .problems import Parts, Problem, keys_of, look_up, pointer_of
from .summary import matching_operations, operation_list, overview

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
        work = _Resolving(document, limit)
        try:
            made = work.resolved(value, kind, (), levels)
        except (_NoRoomError, RecursionError):
            return best
        if size_of(made) > limit:
            return best
        best = ResolvedValue(made, tuple(sorted(work.kept)), tuple(sorted(work.cut)), tuple(sorted(work.broken)))
        # Every reference is resolved: more levels would change nothing.
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


LIMIT = 120 * 1024
"""Bytes of JSON that an answer has at most; a summary in a run's state may have 128 KiB."""

_PROBLEMS = 20 * 1024
_OPERATIONS = 48 * 1024
_PART = 64 * 1024
_MOST_ENTRIES = 200
_MOST_DOCUMENTS = 20


@dataclass(frozen=True, slots=True)
class DocumentQuery:
    """The parts of a document that the caller wants.

    Attributes:
        operation: restricts the operations to those it names; empty for all.
        pointer: JSON Pointer to a part to return in full; empty for none.
        offset: number of operations to skip.
        limit: maximum number of operations.
        whole: return the whole bundled document, however large it is.
    """

    operation: str = ""
    pointer: str = ""
    offset: int = 0
    limit: int = 500
    whole: bool = False


def unreadable_answer(found: LocatedDocument) -> dict[str, Any]:
    """The answer about a document that does not parse."""
    problem = (found.problem or Problem("the document does not parse")).at(
        display_url(found.location), found.problem.line if found.problem else None
    )
    origin = {"kind": found.kind, "location": display_url(found.location), "format": "", "digest": "", "documents": []}
    return {**_empty(origin), "valid": False, "errors": [problem.to_dict()], "notes": list(found.notes)}


def document_answer(
    found: LocatedDocument, library: Library, reading: DocumentAnalysis, query: DocumentQuery
) -> dict[str, Any]:
    """The answer about an analyzed document, never larger than the limit."""
    root = library.root
    origin = {
        "kind": found.kind,
        "location": display_url(root.location),
        "format": root.tree.form,
        "digest": root.digest,
        "documents": [
            {**document, "location": display_url(document["location"])}
            for document in library.digests()[:_MOST_DOCUMENTS]
        ],
    }
    errors = [problem for problem in reading.problems if problem.severity == "error"]
    warnings = [problem for problem in reading.problems if problem.severity == "warning"]
    told_errors, told_warnings = _problems_within(errors, _PROBLEMS), _problems_within(warnings, _PROBLEMS // 4)
    answer = {
        **_empty(origin),
        "valid": not errors,
        "spec_version": reading.said_version[:50],
        "converted": reading.converted,
        "errors": told_errors,
        "warnings": told_warnings,
        "problems_left_out": len(errors) + len(warnings) - len(told_errors) - len(told_warnings),
        "circular": [{"reference": item, "note": _CIRCLE} for item in reading.circular[:_MOST_ENTRIES]],
        "notes": list(found.notes),
    }
    if reading.value is not None:
        _describe(answer, reading, reading.value, query)
        if query.whole:
            answer |= {"document": reading.value, "document_form": "bundled"}
            answer["places"] = [
                {**item, "document": display_url(item["document"])} for item in operation_places(library, reading)
            ]
    return answer


_CIRCLE = "contains itself: where it would begin again, its $ref stays"


def _empty(origin: dict[str, Any]) -> dict[str, Any]:
    return {
        "origin": origin,
        "valid": False,
        "spec_version": "",
        "converted": False,
        "errors": [],
        "warnings": [],
        "problems_left_out": 0,
        "summary": None,
        "operations": [],
        "page": {"offset": 0, "count": 0, "total": 0, "next_offset": None},
        "part": None,
        "document": None,
        "document_form": "left_out",
        "circular": [],
        "notes": [],
    }


def _describe(answer: dict[str, Any], reading: DocumentAnalysis, value: dict[str, Any], query: DocumentQuery) -> None:
    notes: list[str] = answer["notes"]
    if reading.converted:
        notes.append(converted_note(reading.said_version))
    answer["summary"] = overview(value)
    every = operation_list(value)
    wanted = matching_operations(value, every, query.operation) if query.operation else every
    if query.operation and not wanted:
        notes.append(f"no operation of the document is {query.operation!r}")
    # A single matching operation is returned in full.
    pointer = query.pointer or (wanted[0]["pointer"] if query.operation and len(wanted) == 1 else "")
    page = wanted[query.offset : query.offset + query.limit] if not query.pointer else []
    shown_operations = _entries_within(page, _OPERATIONS)
    following = query.offset + len(shown_operations)
    answer["operations"] = shown_operations
    more = following if following < len(wanted) and not query.pointer else None
    answer["page"] = {"offset": query.offset, "count": len(shown_operations), "total": len(wanted), "next_offset": more}
    if more is not None:
        notes.append(f"{len(wanted)} operations: ask again with offset {more} for the next ones")
    if pointer:
        answer["part"] = part_at(value, pointer)
    elif query.offset == 0 and not query.operation and not query.whole:
        _add_document(answer, value, notes)


def _add_document(answer: dict[str, Any], value: dict[str, Any], notes: list[str]) -> None:
    limit = LIMIT - size_of(answer) - 1024
    full = resolve(value, (), limit=limit)
    if full is not None and not full.cut:
        answer["document"], answer["document_form"] = full.value, "resolved"
    elif size_of(value) <= limit:
        answer["document"], answer["document_form"] = value, "bundled"
        notes.append(
            "the document is given with its local references: ask with a pointer for a part with them resolved"
        )
    else:
        size = size_of(value) // 1024
        notes.append(f"the document has {size} KiB: ask with a pointer, such as that of an operation, for a part of it")


def part_at(value: dict[str, Any], pointer: str) -> dict[str, Any]:
    """The value at a place with references resolved; if it is too large, the sizes of its entries."""
    keys = keys_of(pointer)
    found = look_up(value, keys)
    answer = {"pointer": pointer, "found": found is not None, "value": None, "complete": False}
    answer |= {"circular": [], "unresolved": [], "entries": []}
    if found is None:
        return answer
    resolved = resolve(value, found[1], limit=_PART)
    if resolved is not None:
        cut = sorted({*resolved.cut, *resolved.broken})[:_MOST_ENTRIES]
        circular = list(resolved.kept)[:_MOST_ENTRIES]
        return answer | {"value": resolved.value, "complete": not cut, "circular": circular, "unresolved": cut}
    inner = found[0].items() if isinstance(found[0], dict) else enumerate(found[0])
    entries = [{"pointer": pointer_of((*found[1], key))[:500], "bytes": size_of(entry)} for key, entry in inner]
    return answer | {"entries": entries[:_MOST_ENTRIES]}


def _problems_within(problems: Sequence[Problem], limit: int) -> list[dict[str, Any]]:
    described = (
        problem.at(display_url(problem.location), problem.line).to_dict() for problem in problems[:_MOST_ENTRIES]
    )
    cut = [{key: _shorten(entry) for key, entry in problem.items()} for problem in described]
    return _entries_within(cut, limit)


def _shorten(value: Any) -> Any:
    return value[:499] + "…" if isinstance(value, str) and len(value) > 500 else value


def _entries_within(entries: Sequence[dict[str, Any]], limit: int) -> list[dict[str, Any]]:
    """As many of the first entries as fit into the limit."""
    kept: list[dict[str, Any]] = []
    for entry in entries:
        limit -= size_of(entry) + 1
        if limit < 0:
            return kept
        kept.append(entry)
    return kept
