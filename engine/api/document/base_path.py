"""Finds the path below which an application really serves what its document describes.

A document names it by `servers` (or `basePath`), which may be that of a gateway in front of the application, so what is
declared is compared with the application's own routes, or asked of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from ....sandbox.target import PythonTarget
from ..model.model import MOVED, ApiDescription, HttpAnswer, Json
from .application import AppLaunch, AppObserver, open_application
from .operations import METHODS

_MOST_ASKED = 8
_MISSING = (404, 405)
_MADE_UP = "no-such-path-5d1c"


def declared_bases(document: Json, served_at: str = "") -> list[str]:
    """Return the base paths that may hold, the likeliest first; "" for none is always among them.

    Args:
        served_at: the path at which the application serves the document; empty where it is a file.
    """
    found: list[str] = []
    for server in document.get("servers") or ():
        if not isinstance(server, Mapping):
            continue
        variables = server.get("variables")
        url = _filled(str(server.get("url") or ""), variables if isinstance(variables, Mapping) else {})
        try:
            found.append(urlsplit(url).path.rstrip("/"))
        except ValueError:
            continue
    # What a mounted application serves describes what lies beside its document.
    beside = served_at.rpartition("/")[0] if served_at.startswith("/") else ""
    return list(dict.fromkeys([*(base for base in found if "{" not in base), "", beside]))


def _filled(url: str, variables: Mapping[str, Any]) -> str:
    for name, variable in variables.items():
        default = variable.get("default") if isinstance(variable, Mapping) else None
        url = url.replace("{" + str(name) + "}", str(default)) if default is not None else url
    return url


def base_of_routes(document: Json, bases: Collection[str], routes: Collection[tuple[str, str]]) -> str | None:
    """Return the base below which most operations are routes of the application; None where no operation is one.

    Args:
        routes: (method in capitals, path) of everything the application answers.
    """
    known = {(method, without_names(path)) for method, path in routes}
    described = [(method, without_names(path)) for method, path in _operations(document)]
    counts = {base: sum((method, without_names(base) + path) in known for method, path in described) for base in bases}
    best = max(counts, key=lambda base: counts[base], default="")
    return best if counts.get(best) else None


async def find_base(target: PythonTarget, launch: AppLaunch, document: Json, bases: Collection[str]) -> str:
    """Start the application and return the base below which it answers most operations; "" where none differs.

    Raises:
        EnvironmentFault: it does not start. SandboxFailure: the sandbox broke.
    """
    async with open_application(target, launch) as observer:
        counts = {base: await _answered(observer, document, base) for base in bases}
    return max(counts, key=lambda base: (counts[base], base == ""))


async def _answered(observer: AppObserver, document: Json, base: str) -> int:
    """Count the operations that are there: neither 404 or 405, nor refused as a made-up path is, nor moved elsewhere.

    A path is moved where it leads below another base: `/v1/tasks` for `/tasks`.
    """
    nowhere = await observer.answers([{"method": "GET", "path": f"{base}/{_MADE_UP}"}])
    # Some applications refuse the anonymous before they look for a route.
    refused = {answer.status for answer in nowhere} & {401, 403}
    operations = sorted(_operations(document), key=lambda known: (known[0] != "GET", "{" in known[1]))
    found = 0
    for method, path in operations[:_MOST_ASKED]:
        request = {"method": method, "path": base + re.sub(r"\{[^{}]*\}", "1", path)}
        answers = await observer.answers([request])
        missing = not answers or answers[0].failure or answers[0].status in {*_MISSING, *refused}
        found += not missing and not _is_moved_below(answers[0], request["path"])
    return found


def _is_moved_below(answer: HttpAnswer, path: str) -> bool:
    moved = urlsplit(answer.header("location")).path.rstrip("/") if answer.status in MOVED else ""
    return moved.endswith(path.rstrip("/")) and moved != path.rstrip("/")


def _operations(document: Json) -> list[tuple[str, str]]:
    paths = document.get("paths")
    return [
        (method.upper(), str(path))
        for path, item in (paths.items() if isinstance(paths, Mapping) else ())
        if isinstance(item, Mapping)
        for method in METHODS
        if isinstance(item.get(method), Mapping)
    ]


def without_names(path: str) -> str:
    """Return a path without the names of its parameters: one thing may be named by several."""
    return re.sub(r"\{[^{}]*\}", "{}", path).rstrip("/")


def below(described: ApiDescription, base: str) -> ApiDescription:
    """Return the description with every path as the application serves it."""
    if not base:
        return described
    paths = {
        base + path if str(path).startswith("/") else path: item
        for path, item in (described.document.get("paths") or {}).items()
    }
    places = {(method, base + path): place for (method, path), place in described.places.items()}
    return replace(described, document={**described.document, "paths": paths}, places=places, base=base)
