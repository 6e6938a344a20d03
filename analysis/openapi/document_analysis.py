"""Analyzes one document: bundles, checks and, for Swagger 2.0, converts it; caches the latest analyses."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from .bundle import Bundle, bundle
from .document_rules import dialect_of, semantic_problems, structure_problems
from .documents import Library
from .problems import Parts, Problem, mapping
from .swagger import VERSION, to_openapi
from .tree import lines_of

METHODS = frozenset({"get", "put", "post", "delete", "options", "head", "patch", "trace"})


@dataclass(frozen=True, slots=True)
class DocumentAnalysis:
    """A bundled and checked document.

    Attributes:
        value: bundled, of version 3; None when it is no OpenAPI document of a known version.
        said_version: the version the document declares.
        converted: whether it was Swagger 2.0.
        circular: components that contain themselves.
        whole: the bundle, by which places are known; None where there is none.
    """

    value: dict[str, Any] | None
    said_version: str
    converted: bool
    circular: tuple[str, ...]
    problems: tuple[Problem, ...]
    whole: Bundle | None = None


def analyze_document(library: Library) -> DocumentAnalysis:
    """Bundles, checks and converts a document. Blocks, for large documents up to a minute."""
    root = library.root
    own = [problem.at(root.location, problem.line) for problem in root.tree.problems]
    dialect, version = dialect_of(root.value)
    if dialect is None or not isinstance(root.value, dict):
        return DocumentAnalysis(
            None, version, False, (), (*own, _unknown_version(root.value, version).at(root.location, 1))
        )
    swagger = dialect == "2.0"
    bundled = bundle(library, swagger=swagger)
    found = [*structure_problems(bundled.value, dialect), *semantic_problems(bundled.value, swagger=swagger)]
    placed = [_at_origin(problem, bundled) for problem in found]
    referred = [document for document in library.documents.values() if document is not root]
    others = [problem.at(item.location, problem.line) for item in referred for problem in item.tree.problems]
    located = _with_lines(library, list(dict.fromkeys((*bundled.problems, *placed))))
    problems = sorted(
        (*own, *others, *located), key=lambda entry: (entry.location != root.location, entry.location, entry.line or 0)
    )
    value = to_openapi(bundled.value) if swagger else bundled.value
    circular = bundled.circular
    if swagger:
        circular = tuple(item.replace("#/definitions/", "#/components/schemas/") for item in circular)
    return DocumentAnalysis(value, version, swagger, circular, tuple(problems), bundled)


def operation_places(library: Library, reading: DocumentAnalysis) -> list[dict[str, Any]]:
    """Lists method, path, document and line of every operation. Blocks: rereads the documents for their lines."""
    if reading.whole is None:
        return []
    found: dict[tuple[str, str], Problem] = {}
    for path, item in mapping(reading.whole.value.get("paths")).items():
        for method in METHODS & set(mapping(item)):
            found[method, path] = _at_origin(Problem("", ("paths", path, method)), reading.whole)
    lined = _with_lines(library, list(found.values()))
    return [
        {"method": method.upper(), "path": path, "document": entry.location, "line": entry.line}
        for (method, path), entry in zip(found, lined, strict=True)
    ]


def converted_note(version: str) -> str:
    """The note that a document was converted from Swagger."""
    return f"the document is Swagger {version}; it is told as OpenAPI {VERSION}, problems by its own places"


def _unknown_version(value: Any, version: str) -> Problem:
    if isinstance(value, dict) and ("openapi" in value or "swagger" in value):
        known = "OpenAPI 3.0, 3.1 and 3.2, and Swagger 2.0"
        key = "openapi" if "openapi" in value else "swagger"
        message = f"the version {version or value[key]!r} is not known; {known} are"
        return Problem(message, (key,), "version", suggestion='write it as text, such as "3.1.0"')
    message = "this is no OpenAPI document: neither `openapi` nor `swagger` says its version"
    return Problem(message, (), "version", suggestion='begin it with "openapi": "3.1.0"')


def _at_origin(problem: Problem, whole: Bundle) -> Problem:
    """The problem at its place in the document that it came from."""
    location, parts = whole.origin(problem.parts)
    return Problem(problem.message, parts, problem.rule, problem.severity, problem.suggestion, location)


def _with_lines(library: Library, problems: list[Problem]) -> list[Problem]:
    wanted: dict[str, list[Parts]] = {}
    for problem in problems:
        wanted.setdefault(problem.location, []).append(problem.parts)
    lines: dict[tuple[str, Parts], int] = {}
    for location, places in wanted.items():
        if document := library.documents.get(location):
            found = lines_of(document.source, document.tree.form, places)
            lines |= {(location, parts): line for parts, line in found.items()}
    return [item.at(item.location, lines.get((item.location, item.parts), item.line)) for item in problems]


_CacheKey = tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]
"""Location and digest of every document, location and reason of every failure."""


class AnalysisCache:
    """Keeps the latest analyses, keyed by the content of all their documents; safe to use from several threads.

    Args:
        capacity: analyses kept; large documents need much memory.
    """

    def __init__(self, capacity: int = 2) -> None:
        self._capacity = max(1, capacity)
        self._kept: OrderedDict[_CacheKey, DocumentAnalysis] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, library: Library) -> DocumentAnalysis:
        """Returns the analysis of a document, from the cache if it is there. Blocks while it is computed."""
        documents = tuple((document.location, document.digest) for document in library.documents.values())
        key = (documents, tuple(sorted(library.failures.items())))
        with self._lock:
            known = self._kept.get(key)
        analysis = known or analyze_document(library)
        with self._lock:
            self._kept[key] = analysis
            self._kept.move_to_end(key)
            while len(self._kept) > self._capacity:
                self._kept.popitem(last=False)
        return analysis
