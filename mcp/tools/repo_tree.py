"""`repo.tree`: the filtered file tree of the repository that is checked out (A-10)."""

from __future__ import annotations

import asyncio
import platform
from contextlib import suppress
from itertools import islice
from typing import Any

from ...analysis.repository import MAX_FILES, Checkout
from ..toolbox.cache import content_key
from ..toolbox.definition import ToolDefinition, closed_object
from ..toolbox.services import ToolServices

_SHA = {"type": "string", "pattern": "^[0-9a-f]{40}$"}


async def _run(services: ToolServices, /, **arguments: Any) -> dict[str, Any]:
    return await asyncio.to_thread(_listed, services, arguments["path"], arguments.get("ref"))


def _listed(services: ToolServices, folder: str, ref: str | None) -> dict[str, Any]:
    checkout = Checkout(services.root)
    head = checkout.ref(ref)
    files: list[dict[str, Any]] = []
    found = list(islice(checkout.stamps(folder), MAX_FILES + 1))
    for path, _ in found[:MAX_FILES]:
        with suppress(OSError):  # it went away, or may not be read
            files.append(dict(checkout.entry(path).to_dict()))
    return {
        "repo_full_name": checkout.full_name(),
        "ref": head.ref,
        "commit": head.commit,
        "files": files,
        "truncated": len(found) > MAX_FILES,
    }


def _key(services: ToolServices, arguments: dict[str, Any]) -> str | None:
    checkout = Checkout(services.root)
    head = checkout.ref(arguments.get("ref"))
    states = [
        (path, state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino, state.st_dev)
        for path, state in checkout.stamps(arguments["path"])
    ]
    # Reading every file would be the work itself: their states stand for their content, on this machine, in this place.
    place = (platform.node(), str(services.root.resolve()))
    return content_key(arguments, head.ref, head.commit, checkout.full_name(), states, place)


TOOL = ToolDefinition(
    name="repo.tree",
    description=(
        "Lists the repository's files with size and git blob id. What git ignores, caches, environments, links and "
        "files that hold secrets by custom are left out."
    ),
    input_schema=closed_object(
        {
            "path": {"type": "string", "default": ".", "description": "Folder to list, POSIX, relative to the root."},
            "ref": {
                "type": "string",
                "minLength": 1,
                "description": "Branch or full commit id that must be checked out; any when left out.",
            },
        },
        [],
    ),
    output_schema=closed_object(
        {
            "repo_full_name": {"type": "string", "pattern": "^[^/]+/[^/]+$"},
            "ref": {"type": "string", "minLength": 1},
            "commit": {"type": "string", "description": "Full commit id; empty where there is none."},
            "files": {
                "type": "array",
                "items": closed_object(
                    {"path": {"type": "string"}, "size": {"type": "integer", "minimum": 0}, "sha": _SHA}
                ),
            },
            "truncated": {"type": "boolean"},
        }
    ),
    run=_run,
    cache_key=_key,
    timeout_seconds=300.0,
)
