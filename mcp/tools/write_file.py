"""`write_file`: a text file into the run's folder, whole or not at all."""

from __future__ import annotations

import asyncio
from typing import Any

from ...core.errors import ToolFailure
from ...store.files.files import write_file
from ...utils.confined_paths import MAX_FILE_BYTES
from ..toolbox.definition import ToolDefinition, closed_object
from ..toolbox.services import ToolServices


async def _run(services: ToolServices, /, **arguments: Any) -> dict[str, Any]:
    def work() -> dict[str, Any]:
        given, contents = arguments["path"], arguments["contents"]
        place = services.run_file(given)
        if place.relative_to(services.run_folder.path).parts[:1] in _kept_by_run(services):
            raise ToolFailure(f"{given!r} is kept by the run itself", advice="write below specs/ or staged/")
        size = len(contents.encode("utf-8", "surrogatepass"))
        if size > MAX_FILE_BYTES:
            raise ToolFailure(f"{given!r} would have {size} bytes; at most {MAX_FILE_BYTES} are written")
        if place.is_dir():
            raise ToolFailure(f"{given!r} is a folder", advice="give the path of a file")
        write_file(place, contents)
        return {"path": given, "bytes": size}

    return await asyncio.to_thread(work)


def _kept_by_run(services: ToolServices) -> set[tuple[str, ...]]:
    """What only the run itself writes: its logs, checkpoints, reports and working folders."""
    run = services.run_folder
    own = [run.events_jsonl, run.audit_jsonl, run.checkpoints, run.report_json, run.report_md, run.junit_xml]
    own += [run.lock, run.accepting_json, run.replaced, run.scratch]
    names = {place.name for place in own} | {f"{run.checkpoints.name}{end}" for end in ("-wal", "-shm", "-journal")}
    return {(name,) for name in names}


TOOL = ToolDefinition(
    name="write_file",
    description="Writes a UTF-8 text file into the run's folder, at most 4 MiB; missing folders are made.",
    input_schema=closed_object(
        {
            "path": {"type": "string", "minLength": 1, "description": "POSIX path relative to the run's folder."},
            "contents": {"type": "string"},
        }
    ),
    output_schema=closed_object({"path": {"type": "string"}, "bytes": {"type": "integer", "minimum": 0}}),
    run=_run,
    read_only=False,
)
