"""`list_files`: what a folder of the run holds."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

from ...core.errors import ToolFailure
from ..toolbox.definition import ToolDefinition, closed_object
from ..toolbox.services import ToolServices

_MOST = 5000


async def _run(services: ToolServices, /, **arguments: Any) -> dict[str, Any]:
    return await asyncio.to_thread(_listed, services, arguments["folder"])


def _listed(services: ToolServices, given: str) -> dict[str, Any]:
    base = services.run_folder.path
    place = base if given in ("", ".") else services.run_file(given)
    if not place.is_dir():
        raise ToolFailure(f"there is no folder {given!r} in the run", advice="'.' is the run's own folder")
    files: list[dict[str, Any]] = []
    for folder, names, found in os.walk(place, followlinks=False):
        names.sort()
        for name in sorted(found):
            path = Path(folder) / name
            if not path.is_symlink() and path.is_file():
                files.append({"path": path.relative_to(base).as_posix(), "bytes": path.stat().st_size})
    return {"files": files[:_MOST], "truncated": len(files) > _MOST}


TOOL = ToolDefinition(
    name="list_files",
    description="Lists the files below a folder of the run, links left out, at most 5000.",
    input_schema=closed_object(
        {"folder": {"type": "string", "default": ".", "description": "POSIX path relative to the run's folder."}}, []
    ),
    output_schema=closed_object(
        {
            "files": {
                "type": "array",
                "items": closed_object({"path": {"type": "string"}, "bytes": {"type": "integer", "minimum": 0}}),
            },
            "truncated": {"type": "boolean"},
        }
    ),
    run=_run,
)
