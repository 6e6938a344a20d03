"""`apply_tests`: adds a run's staged tests to the project; no other tool of the server does."""

from __future__ import annotations

from ...toolbox.json_schema import array, closed_object, integer, open_object, string, strings
from ...toolbox.tool_spec import ToolAnswer, client_tool
from ..context import RUN_ID, ClientCall
from ..jobs import find_run

_OUTCOMES = ["added", "updated", "unchanged", "removed", "edited", "conflict"]


async def _run(call: ClientCall, /, run_id: str) -> ToolAnswer:
    """Adds the staged tests of a finished run to the project, at the paths its report names. This is the only tool that
    changes the project; call it when the user wants the tests there. A file that a person has changed is left as it is
    and told as edited or as a conflict; a generated file that nobody has changed is replaced, or removed where it is
    about single functions of a module whose whole test file is added. Calling it again changes nothing.
    Takes a moment.
    """
    root, _ = await find_run(call.server, run_id)
    # A run of the same project must not stage files meanwhile.
    async with call.server.slots.acquire(root.path):
        files = await call.server.backend.apply(root.path, run_id)
    counts = {name: sum(file["outcome"] == name for file in files) for name in sorted(_OUTCOMES)}
    return ToolAnswer({"run_id": run_id, "root": root.name, "counts": counts, "files": files})


TOOL = client_tool(
    name="apply_tests",
    title="Add a run's tests to the project",
    input_schema=closed_object(run_id=RUN_ID),
    output_schema=open_object(
        ["run_id", "root", "counts", "files"],
        **strings("run_id", "root"),
        counts={"type": "object", "additionalProperties": integer()},
        files=array(
            open_object(["path", "outcome", "reason"], path=string(), outcome=string(enum=_OUTCOMES), reason=string())
        ),
    ),
    run=_run,
    idempotent=True,
    destructive=True,
)
