"""Node `update_memory`: after each turn, sums up what happened and notes what was learned about the project."""

from __future__ import annotations

import asyncio
from typing import Any

from langgraph.runtime import Runtime

from ....agents.contract.protocol import AgentResponse
from ....agents.control.flags import check_flags
from ....agents.control.lorebook import Lorebook, parse_lorebook_output, updated
from ....agents.control.verdicts import answer_text
from ....core.outcome import StepExit
from ...context import RunContext, services_of
from ...faults import Fault
from ...node import reported_node
from ..planning_state import PlanningAgentState
from ..steering import ask_to_steer, control_of, report_default, step_rows, with_control, with_usage
from ..steps import is_finished

_LONGEST_SUMMARY = 4000


@reported_node
async def update_memory(state: PlanningAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Count the turn, have the summary written anew and the lorebook updated; agents that fail change nothing.

    A summary agent that passes leaves the summary as it is, one that terminates as well; a lorebook agent's flag
    terminate ends the run.
    """
    turn = control_of(state).get("turn", 0) + 1
    answers: list[AgentResponse | None] = []
    summary = await _summary(state, runtime, answers)
    lorebook, halt = await _lorebook(state, runtime, turn, answers)
    update = {**with_control(state, turn=turn, **summary, **lorebook), **with_usage(state, answers)}
    return {**update, "failure": halt} if halt is not None and state["failure"] is None else update


async def _summary(
    state: PlanningAgentState, runtime: Runtime[RunContext], answers: list[AgentResponse | None]
) -> dict[str, Any]:
    inputs = {"steps": step_rows(state["plan"]), "summary": control_of(state).get("summary", "")}
    response = await ask_to_steer(state, runtime, "summary", "summarise", inputs)
    answers.append(response)
    if response is None or response.is_error():
        return {}
    flags = check_flags(response, "Summary")
    if flags.should_halt:
        report_default(services_of(runtime), "summary", f"ended its update: {flags.halt_reason}")
    text = answer_text(response)[:_LONGEST_SUMMARY]
    return {} if flags.should_halt or flags.should_pass or not text.strip() else {"summary": text}


async def _lorebook(
    state: PlanningAgentState, runtime: Runtime[RunContext], turn: int, answers: list[AgentResponse | None]
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    services = services_of(runtime)
    book = Lorebook.from_json(control_of(state).get("lorebook"))
    ended = [step for step in state["plan"] if is_finished(step)]
    inputs = {
        "turnsSinceLastUpdate": step_rows(ended),
        "lastLorebookUpdateTurnIndex": book.cursor.last_updated_turn_index,
        "currentLorebook": [entry.to_json() for entry in book.entries],
        "taskContext": {"request": state["user_request"], "turn": turn},
        "harnessGeneration": book.cursor.last_update_generation,
    }
    response = await ask_to_steer(state, runtime, "lorebook", "update_lorebook", inputs)
    answers.append(response)
    if response is None or response.is_error():
        return {}, None
    flags = check_flags(response, "Lorebook")
    if flags.should_halt:
        return {}, Fault(StepExit.TERMINATED, flags.halt_reason or "", ends_run=True).to_dict()
    output = parse_lorebook_output(answer_text(response), turn)
    changed = updated(book, output) if output is not None and not flags.should_pass else book
    if changed == book:
        return {}, None
    if services.lorebook is not None and changed.entries != book.entries:
        await asyncio.to_thread(services.lorebook.keep, changed.to_json())
    return {"lorebook": changed.to_json()}, None
