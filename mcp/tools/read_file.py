"""`read_file`: a text file of the run's folder."""

from __future__ import annotations

import asyncio
from typing import Any

from ...utils.confined_paths import read_text
from ..toolbox.definition import ToolDefinition, closed_object
from ..toolbox.services import ToolServices


async def _run(services: ToolServices, /, **arguments: Any) -> dict[str, Any]:
    def work() -> dict[str, Any]:
        text = read_text(services.run_file(arguments["path"]), arguments["path"])
        return {"path": arguments["path"], "contents": text, "bytes": len(text.encode("utf-8"))}

    return await asyncio.to_thread(work)


TOOL = ToolDefinition(
    name="read_file",
    description="Reads a UTF-8 text file of the run's folder, at most 4 MiB.",
    input_schema=closed_object(
        {"path": {"type": "string", "minLength": 1, "description": "POSIX path relative to the run's folder."}}
    ),
    output_schema=closed_object(
        {"path": {"type": "string"}, "contents": {"type": "string"}, "bytes": {"type": "integer", "minimum": 0}}
    ),
    run=_run,
)
