"""`accept_tests`: adds staged test files to the project."""

from __future__ import annotations

from ...core.errors import ToolFailure, UsageError
from ...sandbox.javascript.syntax import SUFFIXES
from ...store.files.acceptance import Acceptance
from ...store.files.staging import Staging
from ...utils.names.counted import counted
from ..toolbox.json_schema import array, closed_object, open_object, string, strings
from ..toolbox.services import ToolServices
from ..toolbox.staged_files import with_dependencies
from ..toolbox.tool_spec import Json, ToolSpec


def _run(services: ToolServices, /, test_paths: list[str]) -> Json:
    """Adds staged test files, and the helpers they need, to the project; a file that a person wrote or changed is never
    overwritten, and a generated file of single functions is removed where the whole module's file is added.
    """
    staged = services.run_folder.staged
    needed = [path for test in test_paths for path in with_dependencies(staged, services.test_path(test))]
    try:
        staging = Staging(services.run_folder, services.root)
        results = staging.accept(list(dict.fromkeys(needed)))
    except UsageError as error:
        raise ToolFailure(error.message, advice=error.advice, details=error.details) from error
    # Jest looks for tests in every folder of the project, that of the runs among them: no second copy stays there.
    for result in results:
        if result.path.endswith(SUFFIXES) and result.outcome in ("added", "updated", "unchanged"):
            staging.unstage(result.path)
    files = [_row(result) for result in results if result.outcome != "conflict"]
    conflicts = [result for result in results if result.outcome == "conflict"]
    # Files without a conflict were added; the error names both.
    if conflicts:
        raise _conflict_error(conflicts, files)
    return {"files": files}


def _row(result: Acceptance) -> Json:
    lost = [{"subject": name, "reason": reason} for name, reason in result.lost.items()]
    return {
        **{"path": result.path, "outcome": result.outcome},
        **({"reason": result.reason} if result.reason else {}),
        **({"lost": lost} if lost else {}),
    }


def _conflict_error(conflicts: list[Acceptance], files: list[Json]) -> ToolFailure:
    reasons = "; ".join(f"{result.path}: {result.reason}" for result in conflicts)
    added = f"; {counted(len(files), 'other')} {'is' if len(files) == 1 else 'are'} in the project" if files else ""
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
        files=array(
            closed_object(
                ["path", "outcome"],
                path=string(),
                outcome=string(enum=["added", "updated", "unchanged", "removed", "edited"]),
                reason={**string(), "description": "Why it was left alone, or removed."},
                lost=array(
                    open_object(["subject", "reason"], **strings("subject", "reason")),
                    description="Names that the file tested before, and no longer does.",
                ),
            )
        )
    ),
    run=_run,
    timeout_seconds=120.0,
    read_only=False,
)
