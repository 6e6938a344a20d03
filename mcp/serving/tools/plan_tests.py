"""`plan_tests`: what a request would cover, before anything is done (T-02)."""

from __future__ import annotations

from typing import Any

from ...toolbox.definition import closed_object
from ..backend import Json
from ..jobs import said
from ..progress import apart
from ..tool_definition import FRAMEWORK, ROOT, Answer, Call, Desk, ServedTool
from .generate_tests import TEST_TYPE

_LISTED = 100


async def _serve(desk: Desk, call: Call, /, **arguments: Any) -> Answer:
    root = desk.roots.named(arguments.get("root"))
    options = said(framework=arguments.get("framework"), test_type=arguments.get("test_type"))

    async def planned() -> Json:
        return await desk.application.plan(root.path, arguments["request"], options)

    plan = await apart(planned())
    steps = [_step(one) for one in plan["steps"] if one["type"] != "accept_tests"]  # that is left to apply_tests
    answer = {
        "root": root.name,
        "targets": sum(one["type"].startswith("generate_") for one in steps),
        "steps": steps[:_LISTED],
        "left_out": max(0, len(steps) - _LISTED),
        **{name: list(plan[name])[:_LISTED] for name in ("understood", "not_understood", "skipped")},
    }
    return Answer(answer)


def _step(step: dict[str, Any]) -> dict[str, Any]:
    params = step["params"]
    target = params.get("target")
    path = target.get("path") if isinstance(target, dict) else target
    symbols = target.get("symbols") if isinstance(target, dict) else None
    return {
        "id": step["id"],
        "type": step["type"],
        "target": path,
        "symbols": symbols,
        "tests": params.get("test_path"),
    }


TOOL = ServedTool(
    name="plan_tests",
    title="Plan tests for a request",
    description="Tells what generate_tests would do for a request: the targets in order, where their tests would"
    " go, what was not understood (with names that are near) and what is left out. Use it before "
    "generate_tests when a request is broad or vague. Takes seconds; nothing is run or written. A "
    "configured model may be asked once.",
    input_schema=closed_object(
        {
            "request": {"type": "string", "minLength": 1, "maxLength": 10_000, "description": "As for generate_tests."},
            "framework": FRAMEWORK,
            "test_type": TEST_TYPE,
            "root": ROOT,
        },
        ["request"],
    ),
    output_schema={
        "type": "object",
        "required": ["root", "targets", "steps", "left_out", "understood", "not_understood", "skipped"],
        "properties": {
            "root": {"type": "string"},
            "targets": {"type": "integer", "minimum": 0},
            "steps": {"type": "array", "items": {"type": "object", "required": ["id", "type"]}},
            "left_out": {"type": "integer", "minimum": 0, "description": "Steps that are not listed."},
            "understood": {"type": "array"},
            "not_understood": {"type": "array"},
            "skipped": {"type": "array"},
        },
    },
    serve=_serve,
    read_only=True,
    idempotent=True,
)
