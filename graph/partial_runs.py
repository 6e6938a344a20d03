"""Runs a plan up to the spec of its one target, or from a spec that the user supplies.

Such a run stops at an ordinary checkpoint; `resume_run` continues from there as after any interruption. A supplied spec
takes the place of the spec agent's answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, cast

from ..core.errors import RequestError, RunTerminated, TestwrightError
from ..utils.canonical import pretty_json
from .context import GraphServices, RunContext, isolated, providing, run_graph
from .execution_graph.graph import build_testing_graph, retries_of
from .execution_graph.state import TestingAgentState
from .planning_graph.generate_step import initial_step_state, thread_of
from .planning_graph.planning_state import PlanningAgentState, PlanStepState
from .planning_graph.steps import generates
from .running import planning_graph, run_thread


async def plan_one_target(
    state: PlanningAgentState, context: RunContext, services: GraphServices, *, request: str, name: str = ""
) -> PlanningAgentState:
    """Make the plan for one target, and stop before its first step.

    Args:
        state: the planner's request, which names one target.
        request: the request as later agents are to read it.
        name: of a supplied spec. Its tests get a file of their own, so that they never replace those of the whole
            module.

    Returns:
        The planning state; without a plan its `failure` says why.

    Raises:
        RequestError: the plan has several targets.
    """
    with providing(context, services):
        graph, config = planning_graph(services), run_thread(context)
        values = await run_graph(graph, state, config, context, stop_before="execute_current_step")
        planned = cast(PlanningAgentState, values)
        paths = [str((step["params"].get("target") or {}).get("path")) for step in planned["plan"] if generates(step)]
        if len(paths) > 1:
            raise RequestError(
                f"{len(paths)} targets were named where one is needed.",
                advice=f"Name one of them: {', '.join(paths[:8])}{', …' if len(paths) > 8 else ''}",
                details={"targets": list(paths[:50])},
            )
        if not planned["plan"]:
            return planned
        plan = planned["plan"]
        if name:
            plan = _renamed(plan, name)
            await _write_plan(services, request, plan, planned)
        update = {"user_request": request, "plan": plan}
        await isolated(graph.aupdate_state(config, update, as_node="build_plan"))
        return {**planned, "user_request": request, "plan": plan}


async def run_until_spec(state: PlanningAgentState, context: RunContext, services: GraphServices) -> TestingAgentState:
    """Run the plan's one target up to its accepted spec. Returns the testing graph's state, with its `phase`."""
    return await _run_testing_graph(state, context, services, stop_before="generate_code")


async def run_target(state: PlanningAgentState, context: RunContext, services: GraphServices) -> TestingAgentState:
    """Run the plan's one target to its judged tests, which stay staged. Returns the testing graph's final state."""
    return await _run_testing_graph(state, context, services)


async def supply_spec(
    state: PlanningAgentState, spec: Mapping[str, Any], context: RunContext, services: GraphServices
) -> None:
    """Store a spec in place of the one that would be generated for the plan's one target.

    Context is retrieved as for any other spec. The spec is validated when the run continues, and never refined: cases
    that do not hold are dropped and reported. For a target that the safety gate rejected nothing is stored or executed.
    """
    if all(step["status"] == "skipped" for step in state["plan"] if generates(step)):
        return
    values = await _run_testing_graph(state, context, services, stop_before="generate_spec")
    # All refinements count as used, so that an invalid spec is refused instead of rewritten.
    supplied = {"spec_json": dict(spec), "spec_attempts": values["max_retries"], "answer_errors": []}
    with providing(context, services):
        graph = build_testing_graph(services.checkpointer)
        config = thread_of(context, values["step_id"])
        await isolated(graph.aupdate_state(config, supplied, as_node="generate_spec"))


def one_target(plan: list[PlanStepState]) -> PlanStepState:
    """Return the plan's generate step.

    Raises:
        TestwrightError: there is none.
        RunTerminated: the safety gate rejected it, so that nothing of it may be executed.
    """
    found = next((step for step in plan if generates(step)), None)
    if found is None:
        raise TestwrightError("the plan has no target")
    if found["status"] == "skipped":
        raise RunTerminated(
            found["error_message"] or f"{found['id']} was skipped",
            advice="Say --yes to approve it, or change what the safety gate objects to; see docs/agents.md.",
        )
    return found


def _renamed(plan: list[PlanStepState], name: str) -> list[PlanStepState]:
    """Name the spec and the test file of the plan's one target after a supplied spec."""
    params = next(step for step in plan if generates(step))["params"]
    usual = PurePosixPath(params["spec_path"]).stem
    supplied = re.sub(r"\W+", "_", name).strip("_").lower()
    slug = supplied if supplied.startswith(usual) else f"{usual}__{supplied}"
    replacements = {
        params["spec_path"]: f"specs/{slug}.json",
        params["test_path"]: PurePosixPath(params["test_path"]).with_name(f"test_{slug}.py").as_posix(),
    }

    def replaced(value: Any) -> Any:
        if isinstance(value, list):
            return [replaced(item) for item in value]
        return replacements.get(value, value) if isinstance(value, str) else value

    # Other steps name the same paths in their params.
    return [{**step, "params": {key: replaced(value) for key, value in step["params"].items()}} for step in plan]


async def _write_plan(
    services: GraphServices, request: str, plan: list[PlanStepState], planned: PlanningAgentState
) -> None:
    steps = [{"id": step["id"], "type": step["type"], "params": step["params"]} for step in plan]
    notes = {key: planned[key] for key in ("understood", "not_understood", "skipped")}
    await services.tools.call(
        "write_file", {"path": "plan.json", "contents": pretty_json({"request": request, "steps": steps, **notes})}
    )


async def _run_testing_graph(
    state: PlanningAgentState, context: RunContext, services: GraphServices, *, stop_before: str | None = None
) -> TestingAgentState:
    step = one_target(state["plan"])
    with providing(context, services):
        graph = build_testing_graph(services.checkpointer, retry=retries_of(services))
        config = thread_of(context, step["id"])
        values = await run_graph(graph, initial_step_state(step, state), config, context, stop_before=stop_before)
    return cast(TestingAgentState, values)
