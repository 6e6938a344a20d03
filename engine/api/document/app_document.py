"""Gets the OpenAPI document of an application: the one it makes or serves, else one built from its routes."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

from ....sandbox.protocol import Limits
from ....sandbox.target import PythonTarget, Workspace
from ....sandbox.worker_files import worker_arguments
from ....utils.untrusted_files import read_json
from ..model.model import MOVED, ApiDescription, DocumentReader, HandlerLocations, HttpAnswer, Json, document_form
from .application import AppLaunch, open_application, start_failure
from .auth import header_scheme

_SECONDS = 120.0


async def extract_document(target: PythonTarget, launch: AppLaunch) -> ApiDescription:
    """Import the application in the sandbox and return its document with the locations of its handlers.

    A document built from routes counts as undocumented (`documented=False`); it has no operations where the application
    tells no routes.

    Args:
        launch: must have an `application`; a command has no document to import.

    Raises:
        EnvironmentFault: the application does not import. SandboxFailure: the sandbox broke.
    """
    async with target.workspace() as workspace:
        answer = workspace.scratch / "document.json"
        config = {
            "application": launch.application,
            "import_roots": [str(workspace.project / root) for root in launch.import_roots],
            "project": "" if launch.folder else str(workspace.project),
            "folder": str(workspace.project / launch.folder) if launch.folder else str(workspace.scratch / "tmp"),
            "document": str(answer),
        }
        program = workspace.program(
            worker_arguments("http.write_document", json.dumps(config)),
            # Made-up values give way to those of the settings.
            environment={**launch.environment, **target.variables},
            network="loopback",
            limits=Limits(wall_seconds=_SECONDS, memory_mib=4096),
        )
        completed = await target.sandbox.run(program)
        place = str(workspace.project)
        facts = _facts(workspace, answer)
        # The worker writes no file where the import itself ended the process.
        if facts is None or "error" in facts:
            errors = completed.stderr.decode("utf-8", "replace")[-500:]
            reason = str((facts or {}).get("error") or completed.reason or errors).replace(place, ".")
            raise start_failure(launch, reason or f"it ended with {completed.exit_code}", target)
    routes = [route for route in facts.get("routes") or () if isinstance(route, dict)]
    places = _places(routes, place)
    answered = frozenset((str(name), str(route.get("path"))) for route in routes for name in route.get("methods") or ())
    if isinstance(facts.get("document"), dict):
        version = str(facts["document"].get("openapi") or "")
        return ApiDescription(facts["document"], form=document_form(version), places=places, routes=answered)
    return ApiDescription(document_from_routes(routes, launch.label), documented=False, places=places, routes=answered)


def _facts(workspace: Workspace, path: Path) -> Mapping[str, Any] | None:
    try:
        found = read_json(workspace.folder, path.relative_to(workspace.folder).as_posix())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _places(routes: Sequence[Json], root: str) -> HandlerLocations:
    """Return the locations of the handlers that belong to the project.

    Args:
        root: the project's folder in the sandbox.
    """
    made: dict[tuple[str, str], tuple[str, tuple[int, int]]] = {}
    inside = f"{os.path.realpath(root)}/"
    for route in routes:
        file, lines = str(route.get("file") or ""), route.get("lines") or []
        if file.startswith(inside) and len(lines) == 2:
            for method in route.get("methods") or ():
                made.setdefault((str(method), str(route["path"])), (file[len(inside) :], (lines[0], lines[1])))
    return made


def document_from_routes(routes: Sequence[Json], title: str) -> Json:
    """Build a document from routes and what their handlers read; it declares no responses."""
    paths: dict[str, Json] = {}
    schemes: dict[str, Json] = {}
    components: dict[str, Any] = {}
    for route in sorted(routes, key=lambda item: (str(item.get("path")), str(item.get("name")))):
        item = paths.setdefault(str(route["path"]), {})
        components |= route.get("components") or {}
        for method in route.get("methods") or ():
            item.setdefault(str(method).lower(), _operation(route, str(method), schemes))
    document: Json = {"openapi": "3.1.0", "info": {"title": title, "version": "0"}, "paths": paths}
    if schemes or components:
        document["components"] = {"schemas": components, "securitySchemes": schemes}
    return document


def _operation(route: Json, method: str, schemes: dict[str, Json]) -> Json:
    operation: Json = {"summary": (str(route.get("doc") or "").splitlines() or [""])[0], "responses": {}}
    if route.get("name"):
        operation["operationId"] = str(route["name"])
    parameters = list(_parameters(route))
    for name, required in sorted((route.get("headers") or {}).items()):
        scheme = header_scheme(name)
        if scheme is not None:
            schemes[name] = scheme
            operation.setdefault("security", []).append({name: []})
        else:
            parameters.append({"name": name, "in": "header", "required": required, "schema": {"type": "string"}})
    if parameters:
        operation["parameters"] = parameters
    if method in ("POST", "PUT", "PATCH") and isinstance(route.get("body"), dict):
        media_type = str(route.get("media_type") or "application/json")
        operation["requestBody"] = {"required": True, "content": {media_type: {"schema": route["body"]}}}
    return operation


def _parameters(route: Json) -> Iterator[Json]:
    for name, schema in (route.get("parameters") or {}).items():
        yield {"name": name, "in": "path", "required": True, "schema": schema or {"type": "string"}}
    query = route.get("query") or {}
    for name, schema in (query.get("properties") or {}).items():
        required = name in (query.get("required") or ())
        yield {"name": name, "in": "query", "required": required, "schema": schema or {"type": "string"}}


_DOCUMENT = re.compile(r"/(?:openapi|swagger|api-?spec)[\w.-]*\.(?:json|ya?ml)$")
_OWN_HOSTS = ("127.0.0.1", "localhost")
_HTML = ("text/html", "application/xhtml+xml")


async def fetch_document(
    target: PythonTarget, launch: AppLaunch, documents: DocumentReader, routes: Collection[tuple[str, str]] = ()
) -> ApiDescription | None:
    """Start the application and return the document it serves; None where it serves none.

    Args:
        routes: (method, path) of what it answers, where known: those that end as a document does are asked first.

    Raises:
        EnvironmentFault: it does not start. SandboxFailure: the sandbox broke.
    """
    async with open_application(target, launch) as observer:
        likely = sorted(path for method, path in routes if method == "GET" and _DOCUMENT.search(path))
        for path in dict.fromkeys((*likely, *documents.paths)):
            answers = await observer.answers([{"method": "GET", "path": path, "whole": True}], reset=False)
            if not answers or answers[0].failure:
                return None
            moved = _moved_to(answers[0], path)
            if moved:  # below a prefix that all its paths have: /v1/openapi.json
                path = moved["path"]
                answers = await observer.answers([{"method": "GET", "whole": True, **moved}], reset=False)
            if not answers or answers[0].failure:
                continue
            if answers[0].status == 200 and not _is_page(answers[0]):
                found = await asyncio.to_thread(documents.read, path, answers[0].text.encode())
                if found is not None:
                    return replace(found, location="", served_at=path)
    return None


def _moved_to(answer: HttpAnswer, path: str) -> Json:
    """Return the path and query that a redirection leads to; empty for another host, and for any other answer.

    Args:
        path: what was asked for.
    """
    location = answer.header("location")
    there = urlsplit(urljoin(path, location))
    if answer.status not in MOVED or not location or there.hostname not in (None, *_OWN_HOSTS):
        return {}
    query = parse_qs(there.query, keep_blank_values=True)
    return {"path": there.path or "/", **({"query": query} if query else {})}


def _is_page(answer: HttpAnswer) -> bool:
    return answer.header("content-type").partition(";")[0].strip().lower() in _HTML
