"""`write_file`: writes a text file into the run's folder, completely or not at all."""

from __future__ import annotations

from ...core.errors import ToolFailure
from ...store.files.files import write_file
from ...utils.confined_paths import MAX_FILE_BYTES
from ..toolbox.json_schema import COUNT, closed_object, string
from ..toolbox.services import ToolServices
from ..toolbox.tool_spec import Json, ToolSpec


def _run(services: ToolServices, /, path: str, contents: str) -> Json:
    """Writes a UTF-8 text file into the run's folder, at most 4 MiB; missing folders are made."""
    file = services.run_file(path)
    if file.relative_to(services.run_folder.path).parts[:1] in _reserved(services):
        raise ToolFailure(f"{path!r} is kept by the run itself", advice="write below specs/ or staged/")
    size = len(contents.encode("utf-8", "surrogatepass"))
    if size > MAX_FILE_BYTES:
        raise ToolFailure(f"{path!r} would have {size} bytes; at most {MAX_FILE_BYTES} are written")
    if file.is_dir():
        raise ToolFailure(f"{path!r} is a folder", advice="give the path of a file")
    write_file(file, contents)
    return {"path": path, "bytes": size}


def _reserved(services: ToolServices) -> set[tuple[str, ...]]:
    """The names that only the run itself writes: logs, reports and working folders."""
    run = services.run_folder
    own = [run.events_jsonl, run.audit_jsonl, run.report_json, run.report_md, run.junit_xml]
    own += [run.lock, run.accepting_json, run.replaced, run.scratch]
    return {(path.name,) for path in own}


TOOL = ToolSpec(
    name="write_file",
    input_schema=closed_object(
        path=string(minLength=1, description="POSIX path relative to the run's folder."), contents=string()
    ),
    output_schema=closed_object(path=string(), bytes=COUNT),
    run=_run,
    read_only=False,
)
