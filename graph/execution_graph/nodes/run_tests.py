"""Node `run_tests`: the tool `run_tests` runs the staged file in the sandbox; cases that fail are pruned."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ....core.events import EventType
from ....utils.canonical import pretty_json
from ....utils.names.counted import counted
from ...context import RunContext, services_of
from ...node import reported_node
from ...state_format import within_limit
from ...step_limit import lift_step_limit
from ..answers import ended_with
from ..gaps import open_gaps
from ..staging import accepted_files, dropped_ids, prune, stage
from ..state import TestingAgentState

LEAST_MUTANT_SECONDS = 1.0


@reported_node
async def run_tests(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Run the tests and prune the cases that the results drop. With `run` off the graph ends here.

    Spec and files are written again first, so that a node interrupted after pruning runs the same tests as before. The
    ceiling on time does not cancel this node, because tests that never ran are worthless; mutants are tried only as
    long as it allows. What the tests of a model's spec leave open goes back to the model, once.

    Raises:
        ToolFailure, ToolTimeout, EnvironmentFault.
    """
    if not state["run"]:
        return {"executed": False, **ended_with(kept=True)}
    lift_step_limit()
    services = services_of(runtime)
    await services.tools.call("write_file", {"path": state["spec_path"], "contents": pretty_json(state["spec_json"])})
    await stage(await accepted_files(state, runtime), runtime)
    options: dict[str, Any] = {
        "framework": state["framework"],
        "target": state["target"],
        "spec_path": state["spec_path"],
    }
    symbols = state["target_info"].get("symbols")
    if symbols:
        # Figures are of what was asked for.
        options["target"] = {"path": state["target"], "symbols": symbols}
    if state.get("notices"):
        options["notices"] = state["notices"]
    left = services.budget.seconds_left if services.budget is not None else None
    if left is not None:
        options["mutant_seconds"] = max(LEAST_MUTANT_SECONDS, round(left * runtime.context.step_share, 3))
    results = await services.tools.call("run_tests", {"test_path": state["test_path"], "options": options})
    all_cases = [case["id"] for case in (state["spec_json"] or {}).get("cases") or []]
    dropped = _dropped(state["dropped"], results, all_cases)
    kept = await prune(state, runtime, dropped_ids(dropped), all_cases)
    services.emit(
        EventType.TESTS_RUN,
        f"kept {len(kept)} of {counted(len(all_cases), 'case')} of {state['test_path']}",
        state["step_id"] or None,
        kept=len(kept),
        dropped=len(dropped),
        passed=results.get("passed"),
        failed=results.get("failed"),
    )
    gaps = open_gaps(state, runtime, results)
    if gaps is not None:
        following = {"gaps": gaps, "phase": "spec_generation", "exit_reason": None}
    else:
        following = {"phase": "execution", "exit_reason": None} if state["analyze"] else ended_with(kept=bool(kept))
    return {
        "executed": True,
        "test_results": within_limit(results),
        "kept": kept,
        "dropped": dropped,
        **following,
    }


def _dropped(before: list[dict[str, Any]], results: dict[str, Any], all_cases: list[str]) -> list[dict[str, Any]]:
    """Collect cases that the writer left out, that the results drop or find idle, and that no collected test is of.

    A case whose test was never collected proves nothing.
    """
    left_out = set(dropped_ids(before))
    found = [*(results.get("dropped") or []), *(results.get("idle") or [])]
    dropped = before + [row for row in found if row.get("case_id") not in left_out]
    seen = {*dropped_ids(dropped), *(results.get("kept") or [])}
    reason = "no test of this case was collected"
    unseen = [case_id for case_id in all_cases if case_id not in seen]
    return dropped + [
        {"case_id": case_id, "nodeid": "", "reason": reason, "class": "test_defect"} for case_id in unseen
    ]
