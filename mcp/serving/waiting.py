"""Answers calls of long tools in time: with what came of the work, or that it goes on."""

from __future__ import annotations

from dataclasses import replace

from ..toolbox.json_schema import Schema, integer, string
from ..toolbox.tool_spec import Json, ToolAnswer, ToolSpec
from .background import BackgroundCall
from .context import ClientCall
from .handles import resources_of

WAIT: Schema = integer(
    minimum=1,
    maximum=3600,
    default=45,
    description="Seconds until an answer comes, with status running if the work goes on. Keep it below your own limit.",
)
_RUNNING = ("run_id", "root", "status", "message", "next")


async def answer_in_time(call: ClientCall, spec: ToolSpec, arguments: Json) -> ToolAnswer:
    """Calls a long tool, and answers after `wait_seconds` at the latest, while the work goes on.

    Raises whatever the work raises until then.
    """
    server = call.server
    sent = dict(arguments)
    seconds = float(sent.pop("wait_seconds"))
    background = BackgroundCall(spec.name, call.session)
    inner = replace(call, send_progress=background.send_progress, background=background)

    async def work() -> ToolAnswer:
        return await spec.call(inner, sent)

    answer = await server.calls.begin(background, work, server.backend.new_run_id, seconds, call.send_progress)
    return answer or ToolAnswer(running_answer(background.run_id, background.root, background.message))


def running_answer(run_id: str, root: str, message: str) -> Json:
    """What is said of work that goes on."""
    return {
        "run_id": run_id,
        "root": root,
        "status": "running",
        "exit_reason": None,
        "counts": {},
        "message": message,
        "resources": resources_of(run_id),
        "next": [
            f"run_status(run_id={run_id!r}) waits for it and answers what came of it",
            f"cancel_run(run_id={run_id!r}) ends it",
        ],
    }


def with_waiting(spec: ToolSpec) -> ToolSpec:
    """A long tool with the argument `wait_seconds`, whose answer may also be that the work goes on."""
    given, answer = spec.input_schema, spec.output_schema
    properties = dict(answer["properties"])
    status = properties.get("status", string())
    # Work that goes on has a status of its own.
    if "enum" in status:
        status = {**status, "enum": list(dict.fromkeys((*status["enum"], "running")))}
    running = {"properties": {"status": {"const": "running"}}, "required": list(_RUNNING)}
    properties |= {name: properties.get(name, {}) for name in running_answer("", "", "")} | {"status": status}
    required = [{"required": list(answer.get("required", ()))}, running]
    return replace(
        spec,
        input_schema={**given, "properties": {**given["properties"], "wait_seconds": WAIT}},
        output_schema={**answer, "properties": properties, "required": [], "anyOf": required},
    )
