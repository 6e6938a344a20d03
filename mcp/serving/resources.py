"""The details of runs as resources, in pages; a session lists its own runs only (B-10).

testwright://runs/ID/report.md, report.json, plan.json, junit.xml, results.json, analysis.json
testwright://runs/ID/specs/NAME         a test spec
testwright://runs/ID/tests/PATH         a staged test file, by its path in the project
testwright://runs/ID/events?cursor=N    the event stream after event N
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS

from ...core.errors import TestwrightError, ToolFailure
from ...store.files.event_log import read_events
from ...store.files.run_folder import RunFolder
from ...utils.confined_paths import inside
from .backend import Json
from .handles import RUNS, run_uri
from .jobs import found_run
from .sdk_server import OfferedTemplate
from .sessions import KnownRun, session_of
from .tool_definition import Desk

PAGE_CHARS = 128 * 1024
EVENTS_EACH = 200
LISTED_EACH = 100
NEXT_META = "testwright/next"
_LIST_BEGIN = "0.0"
_LIST_CURSOR = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})")
_TYPES = {".md": "text/markdown", ".json": "application/json", ".xml": "application/xml", ".py": "text/x-python"}
_DOCUMENTS = {
    "report.md": "The report of a run, for people",
    "report.json": "The report of a run, for machines",
    "plan.json": "What a run planned to do",
    "junit.xml": "The report of a run, as JUnit XML",
    "results.json": "The results of a run of run_tests, in full",
    "analysis.json": "What analyze_test_results made of results, in full",
}


def run_templates(desk: Desk) -> tuple[OfferedTemplate, ...]:
    """The shapes of all resources of runs; large texts are read in pages with `?cursor=`."""

    def document(name: str) -> Callable[..., Any]:
        async def read(run_id: str, cursor: str = "0") -> str:
            return await _text(desk, run_id, lambda folder: folder.path / name)

        return read

    async def spec(run_id: str, name: str, cursor: str = "0") -> str:
        return await _text(desk, run_id, lambda folder: inside(folder.specs, name))

    async def test(run_id: str, path: str, cursor: str = "0") -> str:
        return await _text(desk, run_id, lambda folder: inside(folder.staged, path))

    async def events(run_id: str, cursor: str = "0") -> str:
        return await _events(desk, run_id, cursor)

    base = f"{RUNS}{{run_id}}"
    documents = [
        OfferedTemplate(f"{base}/{name}{{?cursor}}", document(name), name, about, mime_type=_TYPES[Path(name).suffix])
        for name, about in _DOCUMENTS.items()
    ]
    return (
        *documents,
        OfferedTemplate(
            f"{base}/report{{?cursor}}", document("report.md"), "report", "As report.md", mime_type=_TYPES[".md"]
        ),
        OfferedTemplate(
            f"{base}/specs/{{name}}{{?cursor}}", spec, "spec", "A test spec of a run", mime_type=_TYPES[".json"]
        ),
        OfferedTemplate(
            f"{base}/tests/{{+path}}{{?cursor}}", test, "test", "A staged test file of a run", mime_type=_TYPES[".py"]
        ),
        OfferedTemplate(
            f"{base}/events{{?cursor}}", events, "events", "The events of a run, in order", mime_type=_TYPES[".json"]
        ),
    )


class RunResources:
    """Middleware: adds a session's own runs to the list of resources, and gives large texts out in pages."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Pass the message on, and complete what comes back."""
        result = await call_next(ctx)
        if not isinstance(result, dict):
            return result
        params = ctx.params or {}
        if ctx.method == "resources/list":
            return await self._listed(result, session_of(ctx), str(params.get("cursor") or _LIST_BEGIN))
        if ctx.method == "resources/read" and str(params.get("uri", "")).startswith(RUNS):
            return {**result, "contents": [part for one in result["contents"] for part in _paged(one)]}
        return result

    async def _listed(self, result: Json, session: str | None, cursor: str) -> Json:
        runs = self._desk.sessions.runs(session)
        at = _LIST_CURSOR.fullmatch(cursor)
        if at is None:
            raise MCPError(INVALID_PARAMS, "This list has no such cursor; begin without one")
        number, first = int(at.group(1)), int(at.group(2))
        page: list[Json] = []
        while number < len(runs) and len(page) < LISTED_EACH:
            rows = (await _rows(self._desk, runs[number]))[first : first + LISTED_EACH - len(page)]
            page += rows
            first += len(rows)
            if len(page) < LISTED_EACH:
                number, first = number + 1, 0
        own = result.get("resources") or [] if cursor == _LIST_BEGIN else []
        more = {"nextCursor": f"{number}.{first}"} if number < len(runs) else {}
        return {**result, "resources": [*own, *page], **more}


async def _rows(desk: Desk, known: KnownRun) -> list[Json]:
    run = await desk.application.run(known.root.path, known.run_id)
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
            "mimeType": _TYPES.get(Path(name).suffix, "application/json" if name == "events" else "text/plain"),
        }
        for name in files
    ]


def _paged(content: Mapping[str, Any]) -> list[Json]:
    """One content, or its page and a note on where the next one is."""
    text, uri = content.get("text"), str(content["uri"])
    start = _cursor(uri)
    if not isinstance(text, str) or _is_events(uri) or (start == 0 and len(text) <= PAGE_CHARS):
        return [dict(content)]
    end = min(start + PAGE_CHARS, len(text))
    page = {**content, "text": text[start:end]}
    if end >= len(text):
        return [page]
    following = f"{uri.partition('?')[0]}?cursor={end}"
    page["_meta"] = {**(content.get("_meta") or {}), NEXT_META: following}
    told = f"Characters {start} to {end} of {len(text)}. The text goes on at {following}"
    return [page, {"uri": following, "mimeType": "text/plain", "text": told}]


def _is_events(uri: str) -> bool:
    return urlsplit(uri).path.endswith("/events")


def _cursor(uri: str) -> int:
    given = parse_qs(urlsplit(uri).query).get("cursor", ["0"])[0]
    return int(given) if given.isdecimal() and len(given) < 12 else 0


async def _text(desk: Desk, run_id: str, of: Callable[[RunFolder], Path]) -> str:
    folder = await _folder(desk, run_id)

    def read() -> str:
        place = of(folder)
        if place.is_symlink() or not place.is_file():
            there = ", ".join(sorted(one.name for one in folder.path.iterdir() if one.name in _DOCUMENTS))
            raise ResourceNotFoundError(f"run {run_id} has no {place.name}; it has: {there or 'nothing to read yet'}")
        return place.read_text("utf-8")

    try:
        return await asyncio.to_thread(read)
    except (ToolFailure, OSError, UnicodeDecodeError) as error:
        raise ResourceNotFoundError(f"this part of run {run_id} cannot be read: {error}") from error


async def _events(desk: Desk, run_id: str, cursor: str) -> str:
    if not cursor.isdecimal() or len(cursor) > 11:
        raise ResourceError("cursor must be the number of an event, 0 for all")
    folder = await _folder(desk, run_id)

    def read() -> str:
        found = list(itertools.islice(read_events(folder.events_jsonl, after=int(cursor)), EVENTS_EACH + 1))
        page = [one.to_dict() for one in found[:EVENTS_EACH]]
        last = page[-1]["sequence"] if page else int(cursor)
        following = f"{run_uri(run_id, 'events')}?cursor={last}"
        return json.dumps({"events": page, "next": following, "more": len(found) > EVENTS_EACH}, ensure_ascii=False)

    try:
        return await asyncio.to_thread(read)
    except FileNotFoundError as error:
        raise ResourceNotFoundError(f"run {run_id} has no events yet") from error
    except TestwrightError as error:
        raise ResourceError(error.message) from error


async def _folder(desk: Desk, run_id: str) -> RunFolder:
    try:
        root, _ = await found_run(desk, run_id)
        return RunFolder(desk.application.state(root.path), run_id).require()
    except TestwrightError as error:
        raise ResourceNotFoundError(f"{error.message}; {error.advice}") from error
