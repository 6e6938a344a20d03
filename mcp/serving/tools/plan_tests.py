"""`plan_tests`: plans a request without executing anything."""

from __future__ import annotations

from ...toolbox.json_schema import COUNT, array, closed_object, integer, open_object, string
from ...toolbox.tool_spec import Json, ToolAnswer, client_tool
from ..context import FRAMEWORK, ROOT, TEST_TYPE, ClientCall
from ..jobs import without_none
from ..progress import run_to_end

_MAX_LISTED = 100


async def _run(
    call: ClientCall,
    /,
    request: str,
    framework: str | None = None,
    test_type: str | None = None,
    root: str | None = None,
) -> ToolAnswer:
    """Tells what generate_tests would do for a request: the targets in order, where their tests would go, what was not
    understood (with names that are near) and what is left out. Use it before generate_tests when a request is broad or
    vague. Takes seconds; nothing is run or written. A configured model may be asked once.
    """
    project = call.server.roots.named(root)
    options = without_none(framework=framework, test_type=test_type)

    async def work() -> Json:
        return await call.server.backend.plan(project.path, request, options)

    plan = await run_to_end(work())
    # Adding tests to the project is left to apply_tests.
    steps = [_step(step) for step in plan["steps"] if step["type"] != "accept_tests"]
    answer = {
        "root": project.name,
        "targets": sum(step["type"].startswith("generate_") for step in steps),
        "steps": steps[:_MAX_LISTED],
        "left_out": max(0, len(steps) - _MAX_LISTED),
        **{name: list(plan[name])[:_MAX_LISTED] for name in ("understood", "not_understood", "skipped")},
    }
    return ToolAnswer(answer)


def _step(step: Json) -> Json:
    target = step["params"].get("target")
    is_detailed = isinstance(target, dict)
    return {
        "id": step["id"],
        "type": step["type"],
        "target": target.get("path") if is_detailed else target,
        "symbols": target.get("symbols") if is_detailed else None,
        "tests": step["params"].get("test_path"),
    }


TOOL = client_tool(
    name="plan_tests",
    title="Plan tests for a request",
    input_schema=closed_object(
        ["request"],
        request=string(minLength=1, maxLength=10_000, description="As for generate_tests."),
        framework=FRAMEWORK,
        test_type=TEST_TYPE,
        root=ROOT,
    ),
    output_schema=open_object(
        ["root", "targets", "steps", "left_out", "understood", "not_understood", "skipped"],
        root=string(),
        targets=COUNT,
        steps=array(open_object(["id", "type"])),
        left_out=integer(minimum=0, description="Steps that are not listed."),
        understood={"type": "array"},
        not_understood={"type": "array"},
        skipped={"type": "array"},
    ),
    run=_run,
    read_only=True,
    idempotent=True,
)
