"""What the agents that steer a run are told of it, and the state they leave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from ...agents.contract.protocol import AgentError, AgentResponse, ErrorType, JsonObject, ResponseStatus, error_response
from ...agents.control.health import HealthContext
from ...agents.control.lorebook import Lorebook, active_entries
from ...core.errors import BudgetExhausted
from ...core.events import EventType
from ...core.usage import add_to_plan_usage, usage_of
from ..context import GraphServices, RunContext, services_of
from ..node import call_agent
from .planning_state import FINISHED, ControlState, PlanningAgentState, PlanStepState
from .risks import step_descriptors
from .steps import is_finished, is_hidden, planned_test_type

_DEFAULTS = {
    "safety": "its step is executed only where the user says yes",
    "goal": "the request counts as met",
    "judge": "the plan goes on",
    "health": "the run goes on",
    "summary": "the summary stays as it is",
    "lorebook": "what is known about the project stays as it is",
}
"""What becomes of a decision of an agent that steers, by role, where it has not decided."""
_RECENT = 20
_MOST_REASONS = 4
NEVER_RAN = "never ran"
"""How the gate reports a public function of which no kept test ran anything."""


def control_of(state: PlanningAgentState) -> ControlState:
    """What steering has found so far."""
    return state.get("control") or {}


def with_control(state: PlanningAgentState, **changes: Any) -> dict[str, Any]:
    """The update of the state that changes some of it."""
    return {"control": {**control_of(state), **changes}}


async def ask_to_steer(
    state: PlanningAgentState, runtime: Runtime[RunContext], role: str, task: str, inputs: JsonObject
) -> AgentResponse | None:
    """Ask the agent of a role; None where there is none, or a ceiling leaves no room for its answer.

    What was kept is still verified and accepted then. A cancelled answer is an error, whose flags count for nothing.
    Its flags are the caller's to read otherwise. Where it has not answered, the report says what was decided instead.
    """
    services = services_of(runtime)
    if role not in services.agents:
        return None
    try:
        response = await call_agent(state, briefed(state, runtime), role, task, inputs, step_id=role)
    except BudgetExhausted as error:
        report_default(services, role, f"was not asked: {error.message}")
        return None
    if response.status is ResponseStatus.CANCELLED:
        refused = error_response(ErrorType.EXECUTION, "it cancelled its work")
        response = replace(refused, metadata={**usage_of(response.metadata)}, trace=response.trace)
    if response.error is not None and response.is_error():
        # The run goes on without its answer, so nothing else would tell the user.
        report_default(services, role, f"failed: {failure_text(response.error, role)}")
    return response


def failure_text(error: AgentError, role: str) -> str:
    """What happened to an agent that failed, without its name."""
    return error.message.removeprefix(f"{role} failed: ").removesuffix(".")


def report_default(services: GraphServices, role: str, why: str) -> None:
    """Emit what becomes of the decision of an agent that steers and has not decided; the report has it as a warning."""
    message = f"the {role} agent {why}; {_DEFAULTS[role]}"
    services.emit(EventType.PROGRESS, message, role, warning=message)


def with_usage(state: PlanningAgentState, responses: Iterable[AgentResponse | None]) -> dict[str, Any]:
    """The update of the state that adds what these answers used to what the run has spent."""
    spent = state["spent"]
    for response in responses:
        if response is not None:
            spent = add_to_plan_usage(spent, usage_of(response.metadata))
    return {} if spent == state["spent"] else {"spent": spent}


def briefed(state: PlanningAgentState, runtime: Runtime[RunContext]) -> Runtime[RunContext]:
    """The runtime whose context has what agents are told beside their task."""
    return runtime.override(context=with_briefing(state, runtime.context, state["user_request"]))


def with_briefing(state: PlanningAgentState, context: RunContext, about: str) -> RunContext:
    """The context with the summary of past turns and what is known about the project.

    Args:
        about: a text that makes entries of the lorebook active.
    """
    found: JsonObject = {}
    control = control_of(state)
    if summary := control.get("summary"):
        found["summary"] = summary
    entries = active_entries(Lorebook.from_json(control.get("lorebook")).entries, about)
    if entries:
        found["lore"] = [{"key": entry.key, "value": entry.value} for entry in entries]
    return replace(context, briefing=found)


def planner_briefing(state: PlanningAgentState, runtime: Runtime[RunContext]) -> Runtime[RunContext]:
    """As `briefed`, with the descriptions of the steps that a plan may have."""
    context = with_briefing(state, runtime.context, state["user_request"])
    return runtime.override(context=replace(context, briefing={**context.briefing, "paths": step_descriptors()}))


def step_rows(plan: Sequence[PlanStepState]) -> list[JsonObject]:
    """The steps of a plan as steering agents are told of them, without what only the report needs."""
    return [_row(step) for step in plan]


def _row(step: PlanStepState) -> JsonObject:
    result, target = step["result"] or {}, step["params"].get("target")
    about = {**(target if isinstance(target, Mapping) else {}), **(result.get("target_info") or {})}
    return {
        "id": step["id"],
        "type": step["type"],
        "status": step["status"],
        "test_type": planned_test_type(step["type"]),
        "path": str(about.get("path") or ""),
        "module": str(about.get("module") or ""),
        "kept": len(result["kept"]) if isinstance(result.get("kept"), list | dict) else 0,
        "untested": sorted(untested(result, str(about.get("path") or ""), about.get("symbols"))),
        "reasons": [f"{row.get('subject')}: {row.get('reason')}" for row in _unreached(result)[:_MOST_REASONS]],
        "notes": [str(note) for note in result.get("warnings") or ()][:_MOST_REASONS],
        "exit_reason": result.get("exit_reason"),
        "error": step["error_message"],
    }


def untested(result: Mapping[str, Any], path: str, symbols: Sequence[str] | None) -> Iterator[str]:
    """Public functions of a target that no kept test runs, and for which the step has no reason.

    A function that the engine could not reach, or whose tests were dropped, has its reason. Of a target that is limited
    to some symbols, only those count.
    """
    spec, results = result.get("spec_json") or {}, result.get("test_results") or {}
    files = (results.get("coverage") or {}).get("files") or {}
    dropped = {row.get("case_id") for row in result.get("dropped") or ()}
    explained = {row.get("subject") for row in _unreached(result)}
    explained |= {case.get("subject") for case in spec.get("cases") or () if case.get("id") in dropped}
    explained |= {row.get("subject") for row in result.get("suspected_defects") or ()}
    for row in (files.get(path) or {}).get("not_taken") or ():
        name = str(row.get("subject"))
        is_public = not any(part.startswith("_") for part in name.split("."))
        is_wanted = symbols is None or any(name == symbol or name.startswith(f"{symbol}.") for symbol in symbols)
        if row.get("reason") == NEVER_RAN and is_public and is_wanted and name not in explained:
            yield name


def _unreached(result: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list((result.get("spec_json") or {}).get("not_reached") or ())


def health_context(state: PlanningAgentState, context: RunContext, services: GraphServices) -> HealthContext:
    """Build what the health agent is told."""
    plan = state["plan"]
    ended = [step for step in plan if is_finished(step) and step["status"] != "skipped"]
    errors = [str(step["error_message"]) for step in ended if step["status"] == "failed"]
    types = [step["type"] for step in ended]
    same = next((index for index, name in enumerate(reversed(types)) if name != types[-1]), len(types))
    return HealthContext(
        run_id=context.run_id,
        turn_index=control_of(state).get("turn", 0),
        harness_status=state["status"],
        last_error=errors[-1] if errors else None,
        consecutive_path_count=same,
        last_selected_path_name=ended[-1]["id"] if ended else None,
        path_call_counts={name: types.count(name) for name in sorted(set(types))},
        visible_path_names=[step["id"] for step in plan if step["status"] not in FINISHED and not is_hidden(step)],
        reserve_path_names=[step["id"] for step in plan if step["status"] not in FINISHED and is_hidden(step)],
        context_fill_percent=_used_percent(state, context),
        turn_history_summary=state["logs"][-_RECENT:],
        recent_errors=errors[-_RECENT:],
        error_ratio=round(len(errors) / len(ended), 4) if ended else 0.0,
    )


def _used_percent(state: PlanningAgentState, context: RunContext) -> float:
    """The largest share of a ceiling that is used; 0 without ceilings."""
    spent = state["spent"]
    shares = [
        100.0 * used / ceiling
        for used, ceiling in (
            (spent["tokens"], context.max_tokens),
            (spent["cost"], context.max_cost),
            (spent["seconds"], context.wall_seconds),
        )
        if ceiling
    ]
    return round(min(100.0, max(shares, default=0.0)), 2)
