"""Node `refine_spec`: the spec agent corrects its spec, given every error."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ....core.errors import BudgetExhausted
from ...context import RunContext, services_of
from ...faults import AgentUnreachable
from ...node import call_agent, reported_node
from ..agent_inputs import spec_inputs
from ..answers import Update, answer_update, ended_with, keep_earlier_tests
from ..floor import first_reason, has_model, without_model
from ..gaps import has_open_gaps
from ..state import TestingAgentState


@reported_node
async def refine_spec(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Request the spec again with the previous one and ALL of its errors; one more `spec_attempts`.

    An answer that cannot be read leaves the previous spec in the state, as the partial result. Where tests are kept
    already (running them showed a wrong expectation), an agent that fails costs the refinement, not the step. Raises
    AgentUnreachable.
    """
    if has_open_gaps(state):
        return await _without_gaps(state, runtime)
    if state["executed"] and not state["spec_errors"]:
        return await _engine_spec(state, runtime, "none of its tests was kept")
    previous, attempt = state["spec_json"], state["spec_attempts"] + 2
    inputs = spec_inputs(state, runtime, previous_spec=previous, errors=state["spec_errors"], attempt=attempt)
    response = await call_agent(state, runtime, "spec", "refine_spec", inputs)
    spec, update = answer_update(response, "spec", "spec")
    if update.get("phase") == "error" and state["kept"]:
        return keep_earlier_tests(state, update)
    if update.get("phase") == "error" and has_model(runtime, "spec"):
        return await _engine_spec(state, runtime, str(update["failure"]["message"]), update)
    notes = [str(note) for note in response.metadata.get("notes") or ()]
    update["warnings"] = [*update.get("warnings", []), *notes]
    return {**update, "spec_json": previous if spec is None else spec, "spec_attempts": state["spec_attempts"] + 1}


async def _without_gaps(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Ask for what the tests left open. Without new cases, those that ran are analysed as they are."""
    gaps = {**(state["gaps"] or {}), "open": False}
    inputs = spec_inputs(state, runtime, previous_spec=state["spec_json"], gaps=state["gaps"])
    try:
        response = await call_agent(state, runtime, "spec", "close_gaps", inputs)
        spec, update = answer_update(response, "spec", "spec")
        failure = (update.get("failure") or {}).get("message") or first_reason(update["answer_errors"])
    except (AgentUnreachable, BudgetExhausted) as error:
        if isinstance(error, BudgetExhausted) and _is_out_of_time(runtime):
            raise
        response, spec, update, failure = None, None, {}, error.message
    notes = [str(note) for note in response.metadata.get("notes") or ()] if response is not None else []
    if spec is None:
        notes = [f"what the tests leave open was not asked about: {failure}"]
    warnings = [*update.get("warnings", []), *notes]
    update = {**update, "gaps": gaps, "answer_errors": [], "failure": None, "exit_reason": None, "warnings": warnings}
    known = {case["id"] for case in (state["spec_json"] or {}).get("cases") or []}
    if spec is None or {case["id"] for case in spec["cases"]} <= known:
        return {**update, **({"phase": "execution"} if state["analyze"] else ended_with(kept=bool(state["kept"])))}
    return {**update, "phase": "spec_generation", "spec_json": spec, "spec_errors": []}


def _is_out_of_time(runtime: Runtime[RunContext]) -> bool:
    budget = services_of(runtime).budget
    return budget is not None and budget.seconds_left == 0


async def _engine_spec(
    state: TestingAgentState, runtime: Runtime[RunContext], reason: str, failed: Update | None = None
) -> dict[str, Any]:
    inputs = spec_inputs(state, runtime)
    response, spec, update = await without_model(state, runtime, "spec", "generate_spec", inputs, reason, failed=failed)
    notices = dict(response.metadata.get("notices") or {})
    if spec is not None:
        # What the model's cases have shown stays in the report, whatever becomes of them.
        named = {defect["id"] for defect in spec.get("suspected_defects") or []}
        shown = [defect for defect in state["suspected_defects"] if defect["id"] not in named]
        spec = {**spec, "suspected_defects": [*(spec.get("suspected_defects") or []), *shown]}
    return {**update, "spec_json": spec, "notices": notices, "spec_attempts": state["spec_attempts"] + 1}
