"""`get_openapi_spec`: what an API offers, from its OpenAPI document (T-12)."""

from __future__ import annotations

import asyncio
from typing import Any

from ...analysis.openapi.documents import Library, gather
from ...analysis.openapi.http_fetch import HttpFetcher
from ...analysis.openapi.lookup import LocatedDocument, is_address, locate_document, locate_in_project
from ...analysis.openapi.tool_answer import DocumentQuery, document_answer, unreadable_answer
from ...core.errors import ToolFailure
from ..toolbox.cache import content_key
from ..toolbox.definition import ToolDefinition, closed_object
from ..toolbox.services import ToolServices

_SECONDS_TO_FIND = 60.0


async def _run(services: ToolServices, /, **arguments: Any) -> dict[str, Any]:
    try:
        async with asyncio.timeout(_SECONDS_TO_FIND):
            found = await locate_document(services.root, arguments["endpoint"], HttpFetcher())
            library = await gather(found.document, found.source) if found.document else None
    except TimeoutError as error:
        raise ToolFailure(
            f"the document was not complete within {_SECONDS_TO_FIND:g} s", advice="give a copy of it as a file"
        ) from error
    return await asyncio.to_thread(_answered, services, found, library, arguments)


def _answered(
    services: ToolServices, found: LocatedDocument, library: Library | None, arguments: dict[str, Any]
) -> dict[str, Any]:
    if library is None:
        return unreadable_answer(found)
    operation = arguments["operation"]
    if not operation and found.operation is not None:
        operation = " ".join(part for part in found.operation if part)
    wish = DocumentQuery(operation, arguments["pointer"], arguments["offset"], arguments["limit"], arguments["whole"])
    return document_answer(found, library, services.openapi.of(library), wish)


def _key(services: ToolServices, arguments: dict[str, Any]) -> str | None:
    """By the content of every file that belongs to the document; what a server answers is never kept."""
    if is_address(arguments["endpoint"]):
        return None
    try:
        found = locate_in_project(services.root, arguments["endpoint"])
    except ToolFailure:
        return None  # the call itself tells it
    if found.document is None:
        return None
    library = asyncio.run(gather(found.document, found.source))
    return content_key(arguments, library.digests(), sorted(library.failures.items()), list(found.notes))


_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 0}
_TEXTS = {"type": "array", "items": _TEXT}
_PROBLEMS = {
    "type": "array",
    "items": closed_object(
        {
            "path": {"type": "string", "description": "JSON path in `document`."},
            "message": _TEXT,
            "severity": {"type": "string", "enum": ["error", "warning"]},
            "rule": _TEXT,
            "suggestion": _TEXT,
            "document": {"type": "string", "description": "The file or URL."},
            "line": {"type": ["integer", "null"], "description": "From 1; null where it is not known."},
        }
    ),
}
_OPERATION = {
    "type": "object",
    "required": ["method", "path", "id", "summary", "parameters", "request_body", "responses", "security", "pointer"],
    "properties": {
        "method": _TEXT,
        "path": _TEXT,
        "id": _TEXT,
        "summary": _TEXT,
        "parameters": {"type": "array", "items": {"type": "object", "required": ["name", "in", "required", "schema"]}},
        "request_body": {"type": ["object", "null"]},
        "responses": {"type": "array", "items": {"type": "object", "required": ["status", "media_types"]}},
        "security": {
            "type": "array",
            "items": _TEXTS,
            "description": "Alternatives, each the schemes needed together.",
        },
        "pointer": {"type": "string", "description": "Ask with it for the whole operation, references resolved."},
    },
}


def _answer_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """All are there; `places` only where the whole document is asked for."""
    return closed_object({**properties, "places": _PLACES}, list(properties))


_PLACES = {
    "type": "array",
    "description": "Where the operations are written; told with the whole document.",
    "items": closed_object(
        {"method": _TEXT, "path": _TEXT, "document": _TEXT, "line": {"type": ["integer", "null"]}},
    ),
}

TOOL = ToolDefinition(
    name="get_openapi_spec",
    description=(
        "Reads the OpenAPI 3.0 to 3.2 or Swagger 2.0 document of an API and tells its operations, with parameters, "
        "bodies, responses and security, and everything that is wrong with it. The endpoint may be a file of the "
        "project, the URL of a document, the address of a running app (http://127.0.0.1:8000: the usual paths are "
        "tried), an operation such as 'GET /orders/{id}' or '.' for the project's own document. For an address "
        "this makes network requests to that host, and to no other; no credentials are sent. Swagger 2.0 is told as "
        "OpenAPI 3.0. Large documents come in pages (offset) and parts (pointer)."
    ),
    input_schema=closed_object(
        {
            "endpoint": {
                "type": "string",
                "minLength": 1,
                "maxLength": 2000,
                "description": "File in the project, URL, address of a running app, operation, or '.'.",
            },
            "operation": {
                "type": "string",
                "default": "",
                "maxLength": 1000,
                "description": "Only these operations: an operationId, '/orders' or 'GET /orders/{id}'.",
            },
            "pointer": {
                "type": "string",
                "default": "",
                "pattern": "^(#?/.*)?$",
                "maxLength": 2000,
                "description": "JSON Pointer into the document: `part` is what stands there, references resolved.",
            },
            "offset": {**_COUNT, "default": 0, "description": "Operations to leave out before the first."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 500},
            "whole": {
                "type": "boolean",
                "default": False,
                "description": "Tell the whole document, however large, and the lines of its operations (`places`).",
            },
        },
        ["endpoint"],
    ),
    output_schema=_answer_schema(
        {
            "origin": closed_object(
                {
                    "kind": {"type": "string", "enum": ["file", "url", "app"]},
                    "location": _TEXT,
                    "format": {"type": "string", "enum": ["json", "yaml", ""]},
                    "digest": {"type": "string", "description": "sha256 of the document, in hex."},
                    "documents": {"type": "array", "items": closed_object({"location": _TEXT, "digest": _TEXT})},
                }
            ),
            "valid": {"type": "boolean"},
            "spec_version": {"type": "string", "description": "As the document says it."},
            "converted": {"type": "boolean", "description": "Swagger 2.0, told as OpenAPI 3.0."},
            "errors": _PROBLEMS,
            "warnings": _PROBLEMS,
            "problems_left_out": _COUNT,
            "summary": {"type": ["object", "null"], "description": "Title, version, servers, security schemes, tags."},
            "operations": {"type": "array", "items": _OPERATION},
            "page": closed_object(
                {"offset": _COUNT, "count": _COUNT, "total": _COUNT, "next_offset": {"type": ["integer", "null"]}}
            ),
            "part": {
                "type": ["object", "null"],
                "properties": {
                    "pointer": _TEXT,
                    "found": {"type": "boolean"},
                    "complete": {"type": "boolean"},
                    "circular": _TEXTS,
                    "unresolved": _TEXTS,
                    "entries": {"type": "array", "description": "When it is too large: what it consists of."},
                },
            },
            "document": {"type": ["object", "null"]},
            "document_form": {
                "type": "string",
                "enum": ["resolved", "bundled", "left_out"],
                "description": "References resolved (circular ones stay), all of them local, or too large to be told.",
            },
            "circular": {"type": "array", "items": closed_object({"reference": _TEXT, "note": _TEXT})},
            "notes": _TEXTS,
        }
    ),
    run=_run,
    cache_key=_key,
    timeout_seconds=150.0,
)
