"""Node `run_tests`: the tool `run_tests` runs the staged file in the sandbox; what does not hold is pruned (B-11)."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ....core.events import EventType
from ....core.outcome import StepExit
from ....utils.canonical import pretty_json
from ...bounds import within_limit
from ...context import RunContext, services_of
from ...node import reported
from ...step_limit import lift_step_limit
from ..boundary import accepted_files
from ..pruning import dropped_ids, prune
from ..staging import stage
from ..state import TestingAgentState

FEWEST_MUTANT_SECONDS = 1.0


@reported
async def run_tests(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Run, and prune the cases the results drop. With the switch off the graph ends here, nothing executed (T-14).

    Spec and files are written afresh first, so that a node interrupted after pruning runs what it ran before. The
    ceiling on time does not cut this off, because tests that nobody has run are worth nothing; mutants are tried only
    as long as it allows (B-08).

    Raises:
        ToolFailure, ToolTimeout, EnvironmentFault.
    """
    if not state["run"]:
        return {"executed": False, "phase": "complete", "exit_reason": str(StepExit.COMPLETED)}
    lift_step_limit()
    services = services_of(runtime)
    await services.tools.call("write_file", {"path": state["spec_path"], "contents": pretty_json(state["spec_json"])})
    await stage(await accepted_files(state, runtime), runtime)
    options: dict[str, Any] = {
        "framework": state["framework"],
        "target": state["target"],
        "spec_path": state["spec_path"],
    }
    if state.get("notices"):
        options["notices"] = state["notices"]
    left = services.budget.seconds_left if services.budget is not None else None
    if left is not None:
        options["mutant_seconds"] = max(FEWEST_MUTANT_SECONDS, round(left * runtime.context.step_share, 3))
    results = await services.tools.call("run_tests", {"test_path": state["test_path"], "options": options})
    all_cases = [case["id"] for case in (state["spec_json"] or {}).get("cases") or []]
    dropped = _dropped(state["dropped"], results, all_cases)
    kept = await prune(state, runtime, dropped_ids(dropped), all_cases)
    services.emit(
        EventType.TESTS_RUN,
        f"{len(kept)} of {len(all_cases)} cases of {state['test_path']} are kept",
        state["step_id"] or None,
        kept=len(kept),
        dropped=len(dropped),
        passed=results.get("passed"),
        failed=results.get("failed"),
    )
    return {
        "executed": True,
        "test_results": within_limit(results),
        "kept": kept,
        "dropped": dropped,
        "phase": "execution" if state["analyze"] else "complete",
        "exit_reason": None if state["analyze"] else _exit(kept),
    }


def _dropped(before: list[dict[str, Any]], results: dict[str, Any], all_cases: list[str]) -> list[dict[str, Any]]:
    """What the writer left out, what the results drop or find idle, and every case they know nothing of.

    A case whose test was never collected proves nothing.
    """
    left_out = set(dropped_ids(before))
    found = [*(results.get("dropped") or []), *(results.get("idle") or [])]
    dropped = before + [one for one in found if one.get("case_id") not in left_out]
    seen = {*dropped_ids(dropped), *(results.get("kept") or [])}
    reason = "no test of this case was collected"
    unseen = [case_id for case_id in all_cases if case_id not in seen]
    return dropped + [{"case_id": one, "nodeid": "", "reason": reason, "class": "test_defect"} for one in unseen]


def _exit(kept: list[str]) -> str:
    return str(StepExit.COMPLETED if kept else StepExit.NOTHING_KEPT)
