"""A run in two halves: up to its spec, and from a spec that is there (T-11); an ordinary checkpoint lies between.

The first half stops before code is written; `resume_run` goes on from there like after any interruption. A spec that
is given from outside takes the place of the spec agent's answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, cast

from ..agents.contract.protocol import JsonObject
from ..core.errors import RequestError, TestwrightError
from ..utils.canonical import pretty_json
from .context import GraphServices, RunContext, providing
from .execution_graph.graph import build_testing_graph, transient_retries
from .execution_graph.state import TestingAgentState
from .isolation import isolated
from .planning_graph.generate_step import beginning_of_step, thread_of
from .planning_graph.planning_graph import build_planning_graph
from .planning_graph.planning_state import PlanningAgentState, PlanStep
from .planning_graph.step_types import step_kind
from .running import thread_of_run


async def plan_one_target(
    state: PlanningAgentState, context: RunContext, services: GraphServices, *, request: str, name: str = ""
) -> PlanningAgentState:
    """Make the plan for one target, and stop before its first step.

    Args:
        state: asks for one target; what the planner reads.
        request: what the agents after the planner are told was asked for.
        name: of a spec that is given. Its tests get a file of their own, so that they never replace those of the whole
            module.

    Returns:
        The planning state; without a plan its `failure` says why.

    Raises:
        RequestError: the plan has several targets.
    """
    with providing(context, services):
        retry = transient_retries(services.node_attempts, services.node_wait)
        graph = build_planning_graph(services.checkpointer, retry=retry)
        config = thread_of_run(context)
        made = await isolated(
            lambda: graph.ainvoke(
                state, config, context=context, durability="sync", interrupt_before=["execute_current_step"]
            )
        )
        planned = cast(PlanningAgentState, made)
        _refuse_several(planned["plan"])
        if not planned["plan"]:
            return planned
        plan = _named(planned["plan"], name) if name else planned["plan"]
        if name:
            await _write_plan(services, request, plan, planned)
        update = {"user_request": request, "plan": plan}
        await isolated(lambda: graph.aupdate_state(config, update, as_node="build_plan"))
        return {**planned, "user_request": request, "plan": plan}


async def specify(state: PlanningAgentState, context: RunContext, services: GraphServices) -> TestingAgentState:
    """Do the spec half of a plan's one target; the answer is its testing graph's state, `phase` says how it stands."""
    return await _testing(state, context, services, stop_before="generate_code")


async def give_spec(
    state: PlanningAgentState, spec: Mapping[str, Any], context: RunContext, services: GraphServices
) -> None:
    """Put a spec in the place of the one that would be generated for a plan's one target.

    Context is retrieved as for any other spec. The given spec is validated when the run goes on, and never refined:
    what does not hold is dropped and told.
    """
    begun = await _testing(state, context, services, stop_before="generate_spec")
    given = {"spec_json": dict(spec), "spec_attempts": begun["max_retries"], "answer_errors": []}
    with providing(context, services):
        graph = build_testing_graph(services.checkpointer)
        config = thread_of(context, begun["step_id"])
        await isolated(lambda: graph.aupdate_state(config, given, as_node="generate_spec"))


def _named(plan: list[PlanStep], name: str) -> list[PlanStep]:
    """The plan with its one target's spec and test file called after a given spec."""
    params = one_target(plan)["params"]
    usual = PurePosixPath(params["spec_path"]).stem
    given = re.sub(r"\W+", "_", name).strip("_").lower()
    slug = given if given.startswith(usual) else f"{usual}__{given}"
    moved = {
        params["spec_path"]: f"specs/{slug}.json",
        params["test_path"]: PurePosixPath(params["test_path"]).with_name(f"test_{slug}.py").as_posix(),
    }
    return [{**step, "params": {key: _moved(value, moved) for key, value in step["params"].items()}} for step in plan]


def _moved(value: Any, moved: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_moved(one, moved) for one in value]
    return moved.get(value, value) if isinstance(value, str) else value


async def _write_plan(services: GraphServices, request: str, plan: list[PlanStep], planned: PlanningAgentState) -> None:
    steps = [{"id": step["id"], "type": step["type"], "params": step["params"]} for step in plan]
    told = {key: planned[key] for key in ("understood", "not_understood", "skipped")}
    await services.tools.call(
        "write_file", {"path": "plan.json", "contents": pretty_json({"request": request, "steps": steps, **told})}
    )


def one_target(plan: list[PlanStep]) -> PlanStep:
    """The plan's generate step. Raises TestwrightError when there is none."""
    for step in plan:
        if _generates(step):
            return step
    raise TestwrightError("the plan has no target")


async def _testing(
    state: PlanningAgentState, context: RunContext, services: GraphServices, *, stop_before: str
) -> TestingAgentState:
    step = one_target(state["plan"])
    with providing(context, services):
        retry = transient_retries(services.node_attempts, services.node_wait)
        graph = build_testing_graph(services.checkpointer, retry=retry)
        config = thread_of(context, step["id"])
        values: JsonObject = await isolated(
            lambda: graph.ainvoke(
                beginning_of_step(step, state),
                config,
                context=context,
                durability="sync",
                interrupt_before=[stop_before],
            )
        )
    return cast(TestingAgentState, values)


def _generates(step: PlanStep) -> bool:
    kind = step_kind(step["type"])
    return kind is not None and kind.family == "generate"


def _refuse_several(plan: list[PlanStep]) -> None:
    paths = [str((step["params"].get("target") or {}).get("path")) for step in plan if _generates(step)]
    if len(paths) > 1:
        raise RequestError(
            f"{len(paths)} targets were named where one is needed.",
            advice=f"Name one of them: {', '.join(paths[:8])}{', …' if len(paths) > 8 else ''}",
            details={"targets": list(paths[:50])},
        )
