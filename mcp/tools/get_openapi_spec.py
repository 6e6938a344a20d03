"""`get_openapi_spec`: describes an API from its OpenAPI document."""

from __future__ import annotations

import asyncio
from typing import Any

from ...analysis.openapi.documents import Library, gather
from ...analysis.openapi.http_fetch import HttpFetcher
from ...analysis.openapi.lookup import LocatedDocument, is_address, locate_document, locate_in_project
from ...analysis.openapi.tool_answer import DocumentQuery, document_answer, unreadable_answer
from ...core.errors import ToolFailure
from ..toolbox.content_cache import content_key
from ..toolbox.json_schema import (
    COUNT,
    NULLABLE_INTEGER,
    TEXTS,
    array,
    closed_object,
    integer,
    open_object,
    string,
    strings,
)
from ..toolbox.services import ToolServices
from ..toolbox.tool_spec import ClientForm, Json, ToolSpec

_SECONDS_TO_FIND = 60.0


async def _run(services: ToolServices, /, **arguments: Any) -> Json:
    """Reads the OpenAPI 3.0 to 3.2 or Swagger 2.0 document of an API and tells its operations, with parameters, bodies,
    responses and security, and everything that is wrong with it. The endpoint may be a file of the project, the URL of
    a document, the address of a running app (http://127.0.0.1:8000: the usual paths are tried), an operation such as
    'GET /orders/{id}' or '.' for the project's own document. For an address this makes network requests to that host,
    and to no other; no credentials are sent. Swagger 2.0 is told as OpenAPI 3.0. Large documents come in pages (offset)
    and parts (pointer).
    """
    try:
        async with asyncio.timeout(_SECONDS_TO_FIND):
            found = await locate_document(services.root, arguments["endpoint"], HttpFetcher())
            library = await gather(found.document, found.source) if found.document else None
    except TimeoutError as error:
        raise ToolFailure(
            f"the document was not complete within {_SECONDS_TO_FIND:g} s", advice="give a copy of it as a file"
        ) from error
    return await asyncio.to_thread(_describe, services, found, library, arguments)


def _describe(services: ToolServices, found: LocatedDocument, library: Library | None, arguments: Json) -> Json:
    if library is None:
        return unreadable_answer(found)
    operation = arguments["operation"]
    if not operation and found.operation is not None:
        # The endpoint itself named an operation, such as 'GET /orders/{id}'.
        operation = " ".join(part for part in found.operation if part)
    query = DocumentQuery(operation, arguments["pointer"], arguments["offset"], arguments["limit"], arguments["whole"])
    return document_answer(found, library, services.openapi.of(library), query)


def _key(services: ToolServices, arguments: Json) -> str | None:
    """Keys by the content of every file of the document; the answer of a server is never cached."""
    if is_address(arguments["endpoint"]):
        return None
    try:
        found = locate_in_project(services.root, arguments["endpoint"])
    except ToolFailure:
        return None  # the call itself raises it
    if found.document is None:
        return None
    library = asyncio.run(gather(found.document, found.source))
    return content_key(arguments, library.digests(), sorted(library.failures.items()), list(found.notes))


_PROBLEMS = array(
    closed_object(
        path=string(description="JSON path in `document`."),
        message=string(),
        severity=string(enum=["error", "warning"]),
        **strings("rule", "suggestion"),
        document=string(description="The file or URL."),
        line={**NULLABLE_INTEGER, "description": "From 1; null where it is not known."},
    )
)
_OPERATION = open_object(
    ["method", "path", "id", "summary", "parameters", "request_body", "responses", "security", "pointer"],
    **strings("method", "path", "id", "summary"),
    parameters=array(open_object(["name", "in", "required", "schema"])),
    request_body={"type": ["object", "null"]},
    responses=array(open_object(["status", "media_types"])),
    security=array(TEXTS, description="Alternatives, each the schemes needed together."),
    pointer=string(description="Ask with it for the whole operation, references resolved."),
)
_ANSWER: Json = {
    "origin": closed_object(
        kind=string(enum=["file", "url", "app"]),
        location=string(),
        format=string(enum=["json", "yaml", ""]),
        digest=string(description="sha256 of the document, in hex."),
        documents=array(closed_object(location=string(), digest=string())),
    ),
    "valid": {"type": "boolean"},
    "spec_version": string(description="As the document says it."),
    "converted": {"type": "boolean", "description": "Swagger 2.0, told as OpenAPI 3.0."},
    "errors": _PROBLEMS,
    "warnings": _PROBLEMS,
    "problems_left_out": COUNT,
    "summary": {"type": ["object", "null"], "description": "Title, version, servers, security schemes, tags."},
    "operations": array(_OPERATION),
    "page": closed_object(offset=COUNT, count=COUNT, total=COUNT, next_offset=NULLABLE_INTEGER),
    "part": {
        "type": ["object", "null"],
        "properties": {
            "pointer": string(),
            "found": {"type": "boolean"},
            "complete": {"type": "boolean"},
            "circular": TEXTS,
            "unresolved": TEXTS,
            "entries": {"type": "array", "description": "When it is too large: what it consists of."},
        },
    },
    "document": {"type": ["object", "null"]},
    "document_form": string(
        enum=["resolved", "bundled", "left_out"],
        description="References resolved (circular ones stay), all of them local, or too large to be told.",
    ),
    "circular": array(closed_object(reference=string(), note=string())),
    "notes": TEXTS,
}
# Not required: only the whole document comes with them.
_PLACES: Json = {
    "type": "array",
    "description": "Where the operations are written; told with the whole document.",
    "items": closed_object(method=string(), path=string(), document=string(), line=NULLABLE_INTEGER),
}

TOOL = ToolSpec(
    name="get_openapi_spec",
    input_schema=closed_object(
        ["endpoint"],
        endpoint=string(
            minLength=1,
            maxLength=2000,
            description="File in the project, URL, address of a running app, operation, or '.'.",
        ),
        operation=string(
            default="",
            maxLength=1000,
            description="Only these operations: an operationId, '/orders' or 'GET /orders/{id}'.",
        ),
        pointer=string(
            default="",
            pattern="^(#?/.*)?$",
            maxLength=2000,
            description="JSON Pointer into the document: `part` is what stands there, references resolved.",
        ),
        offset={**COUNT, "default": 0, "description": "Operations to leave out before the first."},
        limit=integer(minimum=1, maximum=1000, default=500),
        whole={
            "type": "boolean",
            "default": False,
            "description": "Tell the whole document, however large, and the lines of its operations (`places`).",
        },
    ),
    output_schema=closed_object(list(_ANSWER), **_ANSWER, places=_PLACES),
    run=_run,
    cache_key=_key,
    timeout_seconds=150.0,
    audience="both",
    client_form=ClientForm(
        title="Read an OpenAPI document",
        description="Tells the operations of an API with parameters, bodies, responses and security, and everything "
        "that is wrong with its OpenAPI 3 or Swagger 2 document. endpoint is a file of the project, the URL of a "
        "document, the address of a running app, an operation such as 'GET /orders/{id}', or '.' for the project's own "
        "document. Use it to learn what an API promises; get_codebase_context finds the code behind it. Large "
        "documents come in pages (offset) and parts (pointer). Takes milliseconds for a file; for an address it makes "
        "requests to that host only.",
        open_world=True,
    ),
)
