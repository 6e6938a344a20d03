"""`get_history`: lists the commits that changed a Python file, with the functions that each of them changed."""

from __future__ import annotations

from ...core.errors import EnvironmentFault, HistoryError
from ...vcs.history import file_history
from ..toolbox.json_schema import TEXTS, array, closed_object, integer, string, strings
from ..toolbox.services import ToolServices
from ..toolbox.tool_spec import Json, ToolSpec


def _run(services: ToolServices, /, file_path: str, limit: int) -> Json:
    """Lists the last commits that changed a file, newest first; none where there is no repository."""
    services.project_file(file_path)
    try:
        commits = file_history(services.root, file_path, limit)
    except (EnvironmentFault, HistoryError) as error:
        return {"commits": [], "reason": error.message}
    return {
        "commits": [
            {
                "id": one.id,
                "at": one.at,
                "subject": one.subject,
                "body": one.body,
                "symbols": None if one.symbols is None else list(one.symbols),
            }
            for one in commits
        ]
    }


TOOL = ToolSpec(
    name="get_history",
    input_schema=closed_object(
        ["file_path"],
        file_path=string(minLength=1, description="Path relative to the project's root."),
        limit=integer(minimum=1, maximum=100, default=20),
    ),
    output_schema=closed_object(
        ["commits"],
        commits=array(
            closed_object(
                **strings("id", "subject", "body"),
                at=integer(),
                symbols={"anyOf": [TEXTS, {"type": "null"}], "description": "null for the whole file"},
            )
        ),
        reason=string(),
    ),
    run=_run,
)
