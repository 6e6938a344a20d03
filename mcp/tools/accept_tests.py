"""`accept_tests`: adds staged test files to the project."""

from __future__ import annotations

from ...core.errors import ToolFailure, UsageError
from ...store.files.acceptance import Acceptance
from ...store.files.staging import Staging
from ..toolbox.json_schema import array, closed_object, string
from ..toolbox.services import ToolServices
from ..toolbox.staged_files import with_dependencies
from ..toolbox.tool_spec import Json, ToolSpec


def _run(services: ToolServices, /, test_paths: list[str]) -> Json:
    """Adds staged test files, and the helpers they need, to the project; a file that a person wrote or changed is never
    overwritten.
    """
    staged = services.run_folder.staged
    needed = [path for test in test_paths for path in with_dependencies(staged, services.test_path(test))]
    try:
        results = Staging(services.run_folder, services.root).accept(list(dict.fromkeys(needed)))
    except UsageError as error:
        raise ToolFailure(error.message, advice=error.advice, details=error.details) from error
    files = [{"path": result.path, "outcome": result.outcome} for result in results if result.outcome != "conflict"]
    conflicts = [result for result in results if result.outcome == "conflict"]
    # Files without a conflict were added; the error names both.
    if conflicts:
        raise _conflict_error(conflicts, files)
    return {"files": files}


def _conflict_error(conflicts: list[Acceptance], files: list[dict[str, str]]) -> ToolFailure:
    reasons = "; ".join(f"{result.path}: {result.reason}" for result in conflicts)
    added = f"; {len(files)} others are in the project" if files else ""
    return ToolFailure(
        f"{len(conflicts)} test {'file was' if len(conflicts) == 1 else 'files were'} not added: {reasons}{added}",
        advice="move or rename what is in the way, then apply the run again; the files stay staged",
        details={"conflicts": [{"path": result.path, "reason": result.reason} for result in conflicts], "files": files},
    )


TOOL = ToolSpec(
    name="accept_tests",
    input_schema=closed_object(
        test_paths=array(string(minLength=1), minItems=1, description="Paths in the project, as staged.")
    ),
    output_schema=closed_object(
        files=array(closed_object(path=string(), outcome=string(enum=["added", "updated", "unchanged"])))
    ),
    run=_run,
    timeout_seconds=120.0,
    read_only=False,
)
