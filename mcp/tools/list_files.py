"""`list_files`: lists the files below a folder of the run."""

from __future__ import annotations

from ...core.errors import ToolFailure
from ...utils.untrusted_folders import walk_files
from ..toolbox.json_schema import COUNT, array, closed_object, string
from ..toolbox.services import ToolServices
from ..toolbox.tool_spec import Json, ToolSpec

_MAX_LISTED = 5000


def _run(services: ToolServices, /, folder: str) -> Json:
    """Lists the files below a folder of the run, links left out, at most 5000."""
    base = services.run_folder.path
    top = base if folder in ("", ".") else services.run_file(folder)
    if not top.is_dir():
        raise ToolFailure(f"there is no folder {folder!r} in the run", advice="'.' is the run's own folder")
    files: list[Json] = []
    for path in walk_files(top):
        if not path.is_symlink():
            files.append({"path": path.relative_to(base).as_posix(), "bytes": path.stat().st_size})
    return {"files": files[:_MAX_LISTED], "truncated": len(files) > _MAX_LISTED}


TOOL = ToolSpec(
    name="list_files",
    input_schema=closed_object([], folder=string(default=".", description="POSIX path relative to the run's folder.")),
    output_schema=closed_object(files=array(closed_object(path=string(), bytes=COUNT)), truncated={"type": "boolean"}),
    run=_run,
)
