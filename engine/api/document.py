"""The OpenAPI document of an application: its own where it makes one, else one made from its routes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import EnvironmentFault
from ...sandbox.protocol import Limits
from ...sandbox.target import PythonTarget
from .model import Json
from .observe import WORKER, Launch, not_started

_SECONDS = 120.0


async def document_of(target: PythonTarget, launch: Launch) -> tuple[Json, bool]:
    """The document, and whether the application makes it itself (then it is documentation; routes alone are not).

    Args:
        launch: with an `application`; a command tells no document.

    Raises:
        EnvironmentFault: the application does not import. SandboxFailure: the sandbox broke.
    """
    async with target.workspace() as workspace:
        answer = workspace.scratch / "document.json"
        config = {
            "application": launch.application,
            "import_roots": [str(workspace.project / root) for root in launch.import_roots],
            "folder": str(workspace.project / launch.folder) if launch.folder else str(workspace.scratch / "tmp"),
            "document": str(answer),
        }
        program = workspace.program(
            [str(WORKER / "api_document.py"), json.dumps(config)],
            environment=dict(launch.environment),
            network="loopback",
            limits=Limits(wall_seconds=_SECONDS, memory_mib=4096),
            readable=(WORKER,),
        )
        completed = await target.sandbox.run(program)
        place = str(workspace.project)
        facts = _facts(answer)
        if facts is None or "error" in facts:
            told = (facts or {}).get("error") or completed.reason or completed.stderr.decode("utf-8", "replace")[-500:]
            raise not_started(launch, str(told).replace(place, ".") or f"it ended with {completed.exit_code}", target)
    if isinstance(facts.get("document"), dict):
        return facts["document"], True
    routes = [one for one in facts.get("routes") or () if isinstance(one, dict)]
    if not routes:
        raise EnvironmentFault(
            f"The application {launch.label} tells neither an OpenAPI document nor its routes.",
            advice="name an OpenAPI document in the request, such as `API tests from openapi.yaml`",
        )
    return document_from(routes, launch.label, place), False


def _facts(path: Path) -> Mapping[str, Any] | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def document_from(routes: list[Json], title: str, root: str) -> Json:
    """A document made from routes; it promises nothing about answers.

    Args:
        root: where the project lay; places of handlers are told relative to it.
    """
    paths: dict[str, Json] = {}
    for route in sorted(routes, key=lambda one: (str(one.get("path")), str(one.get("name")))):
        item = paths.setdefault(str(route["path"]), {})
        for method in route.get("methods") or ():
            parameters = [
                {"name": name, "in": "path", "required": True, "schema": schema or {"type": "string"}}
                for name, schema in (route.get("parameters") or {}).items()
            ]
            operation: Json = {"summary": (str(route.get("doc") or "").splitlines() or [""])[0], "responses": {}}
            if parameters:
                operation["parameters"] = parameters
            if route.get("name"):
                operation["operationId"] = f"{route['name']}_{str(method).lower()}"
            file = str(route.get("file") or "")
            if file.startswith(root) and route.get("line"):
                operation["x-lines"] = [int(route["line"]), int(route["line"])]
                operation["x-file"] = file[len(root) :].lstrip("/")
            if method in ("POST", "PUT", "PATCH") and isinstance(route.get("body"), dict):
                operation["requestBody"] = {
                    "required": True,
                    "content": {"application/json": {"schema": route["body"]}},
                }
            item.setdefault(str(method).lower(), operation)
    return {"openapi": "3.1.0", "info": {"title": title, "version": "0"}, "paths": paths}
