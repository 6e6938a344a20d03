"""`repo.read_file`: one text file of the repository that is checked out (A-10)."""

from __future__ import annotations

import asyncio
from typing import Any

from ...analysis.repository import Checkout
from ...utils.confined_paths import read_text
from ..toolbox.cache import content_key
from ..toolbox.definition import ToolDefinition, closed_object
from ..toolbox.services import ToolServices


async def _run(services: ToolServices, /, **arguments: Any) -> dict[str, Any]:
    return await asyncio.to_thread(_read, services, arguments["path"], arguments.get("ref"))


def _read(services: ToolServices, path: str, ref: str | None) -> dict[str, Any]:
    checkout = Checkout(services.root)
    head = checkout.ref(ref)
    text = read_text(checkout.readable(path), path)
    entry = checkout.entry(path)
    return {"path": path, "ref": head.ref, "sha": entry.sha, "size": entry.size, "contents": text}


def _key(services: ToolServices, arguments: dict[str, Any]) -> str | None:
    checkout = Checkout(services.root)
    head = checkout.ref(arguments.get("ref"))
    checkout.readable(arguments["path"])
    try:
        return content_key(arguments, head.ref, checkout.entry(arguments["path"]).sha)
    except OSError:
        return None  # the call itself tells it


TOOL = ToolDefinition(
    name="repo.read_file",
    description="Reads a UTF-8 text file that repo.tree lists, at most 4 MiB.",
    input_schema=closed_object(
        {
            "path": {"type": "string", "minLength": 1, "description": "POSIX path relative to the root."},
            "ref": {
                "type": "string",
                "minLength": 1,
                "description": "Branch or full commit id that must be checked out; any when left out.",
            },
        },
        ["path"],
    ),
    output_schema=closed_object(
        {
            "path": {"type": "string"},
            "ref": {"type": "string"},
            "sha": {"type": "string", "pattern": "^[0-9a-f]{40}$"},
            "size": {"type": "integer", "minimum": 0},
            "contents": {"type": "string"},
        }
    ),
    run=_run,
    cache_key=_key,
)
