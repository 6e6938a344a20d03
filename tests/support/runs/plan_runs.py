"""Whole plans in tests: agents that do well at any number of steps, and what came of each step."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from testwright.agents.contract.function_agent import FunctionAgent
from testwright.agents.contract.protocol import AgentRequest
from testwright.graph.planning_graph.planning_state import PlanningAgentState, new_planning_state
from testwright.graph.running import start_run
from testwright.tests.support.runs.graph_runs import ANALYSIS, RUN_ID, Bench, files, generate, spec

TARGETS = ("shop/a.py", "shop/b.py", "shop/c.py")


def planning(**more: Any) -> PlanningAgentState:
    """The beginning of a run."""
    return new_planning_state(request_id=RUN_ID, user_request="cover the shop", **more)


def steps(*names: str) -> list[dict[str, Any]]:
    """Generate steps for modules of the shop."""
    return [generate(name, target=f"shop/{name}.py") for name in names]


def write(request: AgentRequest) -> dict[str, Any]:
    """The file of the spec that is handed over: a writer for any number of steps at the same time."""
    inputs = request.inputs or {}
    cases = [case["id"] for case in inputs["payload"]["spec"]["cases"]]
    return files(inputs["parameters"]["test_path"], *cases)


def specify(request: AgentRequest) -> dict[str, Any]:
    """A spec of two cases named after the target."""
    name = Path((request.inputs or {})["target"]["path"]).stem
    return spec(f"tc_{name}_1", f"tc_{name}_2")


class HandClock:
    """Seconds of a run, moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def plan_agents(planner: Sequence[Any], steps: int, **more: Any) -> dict[str, Any]:
    """Scripts for a plan of so many generate steps that all go well, where nothing else is said."""
    usual = {"spec": [specify] * steps, "writer": [write] * steps, "analyzer": [ANALYSIS] * steps}
    return {"planner": planner, **usual, **more}


def usual_agents(planned: Any, only: str = "", first: Any = None, **more: Any) -> dict[str, FunctionAgent]:
    """Agents that do well however often they are asked, not started yet.

    Args:
        only: one role, whose first answer is `first`; else all roles of a plan and those of `more`.
    """
    usual = {"planner": lambda _: planned, "spec": specify, "writer": write, "analyzer": lambda _: ANALYSIS, **more}
    given = [] if first is None else [first]

    def agent(role: str) -> FunctionAgent:
        work = usual.get(role, lambda _: "")
        return FunctionAgent(role, lambda request: given.pop() if given and role == only else work(request))

    return {role: agent(role) for role in ([only] if only else usual)}


def statuses(state: PlanningAgentState) -> dict[str, str]:
    """Status of every step by id."""
    return {step["id"]: step["status"] for step in state["plan"]}


def ending(**generated: str) -> dict[str, str]:
    """Statuses of a plan whose closing steps went well."""
    return {**generated, "verify": "completed", "accept": "completed"}


def result_of(state: PlanningAgentState, step_id: str) -> dict[str, Any]:
    """What came of one step."""
    return next(step["result"] or {} for step in state["plan"] if step["id"] == step_id)


async def run_plan(made: Bench, **state: Any) -> PlanningAgentState:
    """Run a plan to its end; every scripted answer of a tool must have been asked for."""
    ended = await start_run(planning(**state), made.context, made.services)
    made.tools.finish()
    return ended
