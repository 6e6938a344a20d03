"""Shapes the tool's answer about a document: everything if it is small, pages and parts if it is large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .document_analysis import DocumentAnalysis, converted_note, operation_places
from .documents import Library
from .http_fetch import display_url
from .lookup import LocatedDocument
from .operation_match import matching_operations
from .problems import Problem, keys_of, look_up, pointer_of
from .resolve import resolve, size_of
from .summary import operation_list, overview

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
