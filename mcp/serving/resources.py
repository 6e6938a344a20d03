"""Serves the details of runs as resources, in pages; a session lists its own runs only.

testwright://runs/ID/report.md, report.json, plan.json, junit.xml, results.json, analysis.json
testwright://runs/ID/specs/NAME         a test spec
testwright://runs/ID/tests/PATH         a staged test file, by its path in the project
testwright://runs/ID/events?cursor=N    the events after event N
"""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ...core.errors import TestwrightError, ToolFailure
from ...store.files.event_log import read_events
from ...store.files.run_folder import RunFolder
from ...store.files.staging import staged_name
from ...utils.confined_paths import inside
from ...utils.outgoing_text import json_text
from ..sdk import (
    INVALID_PARAMS,
    CallNext,
    HandlerResult,
    MCPError,
    ResourceError,
    ResourceNotFoundError,
    ResourceTemplateSpec,
    ServerRequestContext,
)
from ..toolbox.tool_spec import Json
from .context import ServerContext
from .handles import RUNS, run_uri
from .jobs import RootFault, find_run, of_root
from .run_files import read_run_text, run_folder
from .sessions import SessionRun, session_of

PAGE_CHARS = 128 * 1024
EVENTS_EACH = 200
LISTED_EACH = 100
NEXT_META = "testwright/next"
_FIRST_LIST_CURSOR = "0.0"
_LIST_CURSOR = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})")
_MIME_TYPES = {".md": "text/markdown", ".json": "application/json", ".xml": "application/xml", ".py": "text/x-python"}
_DOCUMENTS = {
    "report.md": "The report of a run, for people",
    "report.json": "The report of a run, for machines",
    "plan.json": "What a run planned to do",
    "junit.xml": "The report of a run, as JUnit XML",
    "results.json": "The results of a run of run_tests, in full",
    "analysis.json": "What analyze_test_results made of results, in full",
}


def run_templates(server: ServerContext) -> tuple[ResourceTemplateSpec, ...]:
    """Builds the templates of all resources of runs; large texts are read in pages with `?cursor=`."""

    def document(name: str) -> Callable[..., Any]:
        async def read(run_id: str, cursor: str = "0") -> str:
            return await _read_text(server, run_id, lambda _: name)

        return read

    async def spec(run_id: str, name: str, cursor: str = "0") -> str:
        return await _read_text(server, run_id, lambda folder: _below(folder, folder.specs, name))

    async def test(run_id: str, path: str, cursor: str = "0") -> str:
        return await _read_text(
            server, run_id, lambda folder: _below(folder, folder.staged, staged_name(folder.staged, path))
        )

    async def events(run_id: str, cursor: str = "0") -> str:
        return await _read_events(server, run_id, cursor)

    def template(part: str, read: Callable[..., Any], name: str, about: str, suffix: str) -> ResourceTemplateSpec:
        uri = f"{RUNS}{{run_id}}/{part}{{?cursor}}"
        return ResourceTemplateSpec(uri, read, name, about, mime_type=_MIME_TYPES[suffix])

    return (
        *(template(name, document(name), name, about, Path(name).suffix) for name, about in _DOCUMENTS.items()),
        template("report", document("report.md"), "report", "As report.md", ".md"),
        template("specs/{name}", spec, "spec", "A test spec of a run", ".json"),
        template("tests/{+path}", test, "test", "A staged test file of a run", ".py"),
        template("events", events, "events", "The events of a run, in order", ".json"),
    )


class RunResourceMiddleware:
    """Adds a session's own runs to the list of resources, and splits large texts into pages."""

    def __init__(self, server: ServerContext) -> None:
        self._server = server

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Passes the message on, and completes its result."""
        result = await call_next(ctx)
        if not isinstance(result, dict):
            return result
        params = ctx.params or {}
        if ctx.method == "resources/list":
            return await self._list(result, session_of(ctx), str(params.get("cursor") or _FIRST_LIST_CURSOR))
        if ctx.method == "resources/read" and str(params.get("uri", "")).startswith(RUNS):
            return {**result, "contents": [page for content in result["contents"] for page in _paged(content)]}
        return result

    async def _list(self, result: Json, session: str | None, cursor: str) -> Json:
        """Fills a page; a cursor is the index of a run and the index of a row of that run."""
        runs = self._server.sessions.runs(session)
        match = _LIST_CURSOR.fullmatch(cursor)
        if match is None:
            raise MCPError(INVALID_PARAMS, "This list has no such cursor; begin without one")
        number, first = int(match.group(1)), int(match.group(2))
        page: list[Json] = []
        while number < len(runs) and len(page) < LISTED_EACH:
            rows = await of_root(runs[number].root, _rows(self._server, runs[number]))
            # A project that cannot be read has none to list; reading one of its runs says why.
            rows = [] if isinstance(rows, RootFault) else rows[first : first + LISTED_EACH - len(page)]
            page += rows
            first += len(rows)
            # The page has room left: all rows of this run are on it.
            if len(page) < LISTED_EACH:
                number, first = number + 1, 0
        # Other resources of the server stand on the first page only.
        own = result.get("resources") or [] if cursor == _FIRST_LIST_CURSOR else []
        more = {"nextCursor": f"{number}.{first}"} if number < len(runs) else {}
        return {**result, "resources": [*own, *page], **more}


async def _rows(server: ServerContext, known: SessionRun) -> list[Json]:
    run = await server.backend.run(known.root.path, known.run_id)
    if run is None:
        return []
    files = [name for name in run["files"] if name in _DOCUMENTS]
    files += [name for name in run["files"] if name.startswith("specs/")]
    files += [f"tests/{name.removeprefix('staged/')}" for name in run["files"] if name.startswith("staged/")]
    if "events.jsonl" in run["files"]:
        files.append("events")
    return [
        {
            "uri": run_uri(known.run_id, name),
            "name": f"{known.run_id}/{name}",
            "description": f"{known.kind}, {run['status']}: {run['request'][:120]}",
            "mimeType": _MIME_TYPES.get(Path(name).suffix, "application/json" if name == "events" else "text/plain"),
        }
        for name in files
    ]


def _paged(content: Mapping[str, Any]) -> list[Json]:
    """A content, or one page of it and a note with the URI of the next one."""
    text, uri = content.get("text"), str(content["uri"])
    sent = parse_qs(urlsplit(uri).query).get("cursor", ["0"])[0]
    start = int(sent) if sent.isdecimal() and len(sent) < 12 else 0
    is_events = urlsplit(uri).path.endswith("/events")  # these come in pages of their own
    if not isinstance(text, str) or is_events or (start == 0 and len(text) <= PAGE_CHARS):
        return [dict(content)]
    end = min(start + PAGE_CHARS, len(text))
    page = {**content, "text": text[start:end]}
    if end >= len(text):
        return [page]
    following = f"{uri.partition('?')[0]}?cursor={end}"
    page["_meta"] = {**(content.get("_meta") or {}), NEXT_META: following}
    note = f"Characters {start} to {end} of {len(text)}. The text goes on at {following}"
    return [page, {"uri": following, "mimeType": "text/plain", "text": note}]


def _below(folder: RunFolder, base: Path, path: str) -> str:
    return inside(base, path).relative_to(folder.path).as_posix()


async def _read_text(server: ServerContext, run_id: str, locate: Callable[[RunFolder], str]) -> str:
    folder = await _find_folder(server, run_id)

    def read() -> str:
        path = locate(folder)
        if not (folder.path / path).is_file():
            known = ", ".join(sorted(path.name for path in folder.path.iterdir() if path.name in _DOCUMENTS))
            raise ResourceNotFoundError(f"run {run_id} has no {path}; it has: {known or 'nothing to read yet'}")
        return read_run_text(folder, path)

    try:
        return await asyncio.to_thread(read)
    except (ToolFailure, OSError) as error:
        raise ResourceNotFoundError(f"this part of run {run_id} cannot be read: {error}") from error


async def _read_events(server: ServerContext, run_id: str, cursor: str) -> str:
    if not cursor.isdecimal() or len(cursor) > 11:
        raise ResourceError("cursor must be the number of an event, 0 for all")
    folder = await _find_folder(server, run_id)

    def read() -> str:
        # One more than a page shows whether there are further ones.
        found = list(itertools.islice(read_events(folder.events_jsonl, after=int(cursor)), EVENTS_EACH + 1))
        page = [event.to_dict() for event in found[:EVENTS_EACH]]
        last = page[-1]["sequence"] if page else int(cursor)
        following = f"{run_uri(run_id, 'events')}?cursor={last}"
        return json_text({"events": page, "next": following, "more": len(found) > EVENTS_EACH})

    try:
        return await asyncio.to_thread(read)
    except FileNotFoundError as error:
        raise ResourceNotFoundError(f"run {run_id} has no events yet") from error
    except TestwrightError as error:
        raise ResourceError(error.message) from error


async def _find_folder(server: ServerContext, run_id: str) -> RunFolder:
    try:
        root, _ = await find_run(server, run_id)
        return run_folder(server, root, run_id)
    except TestwrightError as error:
        raise ResourceNotFoundError(f"{error.message}; {error.advice}") from error
