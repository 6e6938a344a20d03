"""`read_file`: reads a text file of the run's folder."""

from __future__ import annotations

from ...utils.confined_paths import read_text
from ..toolbox.json_schema import COUNT, closed_object, string
from ..toolbox.services import ToolServices
from ..toolbox.tool_spec import Json, ToolSpec


def _run(services: ToolServices, /, path: str) -> Json:
    """Reads a UTF-8 text file of the run's folder, at most 4 MiB."""
    text = read_text(services.run_file(path), path, (services.run_folder.path,))
    return {"path": path, "contents": text, "bytes": len(text.encode("utf-8"))}


TOOL = ToolSpec(
    name="read_file",
    input_schema=closed_object(path=string(minLength=1, description="POSIX path relative to the run's folder.")),
    output_schema=closed_object(path=string(), contents=string(), bytes=COUNT),
    run=_run,
)
