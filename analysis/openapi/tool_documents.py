"""Loads whole OpenAPI documents for the engine: bundled, of version 3, as plain data."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ...core.errors import ToolFailure
from ...engine.api.model.model import ApiDescription, HandlerLocations, document_form
from ...utils.names.counted import counted
from .document_analysis import analyze_document
from .documents import Library, gather, read_document
from .lookup import APP_PATHS
from .problems import UnreadableDocument, mapping, sequence, text

_TOOL = "get_openapi_spec"
_MAX_PROBLEMS = 50
Call = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]
"""Calls a tool by its name. Raises ToolFailure."""


class ToolDocuments:
    """Loads documents through the tool `get_openapi_spec`, from any server.

    Args:
        call: calls tools.
    """

    paths = APP_PATHS

    def __init__(self, call: Call) -> None:
        self._call = call

    async def load(self, endpoint: str) -> ApiDescription:
        """Loads a document. Raises ToolFailure if there is none, it is invalid, or the tool returns only parts."""
        answer = await self._call_tool(endpoint)
        origin = mapping(answer.get("origin"))
        errors = [mapping(error) for error in sequence(answer.get("errors"))]
        if answer.get("summary") is None and answer.get("document") is None:
            first = errors[0] if errors else {}
            line = f" (line {first['line']})" if first.get("line") else ""
            raise ToolFailure(
                f"{endpoint} is no OpenAPI document{line}: {first.get('message') or 'it cannot be read'}",
                advice="repair it, or give an OpenAPI 3 or Swagger 2.0 document",
            )
        document = answer.get("document")
        if not isinstance(document, dict):
            raise ToolFailure(
                f"the tool {_TOOL} does not return the whole document {endpoint}",
                advice="have the server that serves it take `whole`, or leave the tool to testwright",
            )
        location = text(origin.get("location")) or endpoint
        problems = [*errors, *(mapping(item) for item in sequence(answer.get("warnings")))]
        return ApiDescription(
            document,
            location=location,
            form=document_form(text(answer.get("spec_version"))),
            digest=digest if re.fullmatch("[0-9a-f]{64}", digest := text(origin.get("digest"))) else "",
            problems=_problems(problems, location),
            places=_places(answer.get("places")),
        )

    async def _call_tool(self, endpoint: str) -> dict[str, Any]:
        try:
            return await self._call(_TOOL, {"endpoint": endpoint, "whole": True})
        except ToolFailure:
            # Another server's tool may not accept `whole`; small documents are returned without it.
            return await self._call(_TOOL, {"endpoint": endpoint})

    def read(self, location: str, content: bytes) -> ApiDescription | None:
        """Parses the document that an application served; None if it is none. Blocks."""
        try:
            document = read_document(location, content)
        except UnreadableDocument:
            return None
        if not {"openapi", "swagger"} & set(mapping(document.value)):
            return None
        library: Library = asyncio.run(gather(document, _NoOtherDocuments()))
        reading = analyze_document(library)
        if reading.value is None:
            return None
        problems = [problem.to_dict() for problem in reading.problems]
        return ApiDescription(
            reading.value,
            location=location,
            form=document_form(reading.said_version),
            digest=document.digest,
            problems=_problems(problems, location),
        )


class _NoOtherDocuments:
    """Refuses further documents: only the application's own is read."""

    async def read(self, location: str) -> bytes:
        """Raises ToolFailure."""
        raise ToolFailure(f"{location} is not requested")

    def refused(self, location: str) -> str:
        """Why a referenced document is not read."""
        return f"{location} is another document: only the application's own is read"


def _problems(entries: list[dict[str, Any]], location: str) -> tuple[tuple[str, str], ...]:
    """Place and message of each problem, without repeats."""
    found: dict[tuple[str, str], None] = {}
    for item in entries:
        line = f", line {item['line']}" if item.get("line") else ""
        found.setdefault((f"{item.get('document') or location}{line}", text(item.get("message"))))
    left = len(found) - _MAX_PROBLEMS
    are = "is" if left == 1 else "are"
    more = ((location, f"{counted(left, 'more problem')} {are} not listed"),) if left > 0 else ()
    return (*list(found)[:_MAX_PROBLEMS], *more)


def _places(entries: Any) -> HandlerLocations:
    found: dict[tuple[str, str], tuple[str, tuple[int, int]]] = {}
    for item in (mapping(each) for each in sequence(entries)):
        line = item.get("line")
        if isinstance(line, int) and line > 0:
            key = (text(item.get("method")).upper(), text(item.get("path")))
            found[key] = (text(item.get("document")), (line, line))
    return found
