"""Executes the steps beside generation: verify all tests together, add them to the project, retrieve context."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...core.errors import StorageError, ToolFailure
from ...core.outcome import StepExit
from ...utils.canonical import pretty_json
from ..context import GraphServices
from ..execution_graph.staging import dropped_ids, staged
from ..faults import Fault, fault_of, is_transient
from ..state_format import within_limit
from .planning_state import PlanningAgentState, PlanStepState
from .repository_steps import staged_by_engineer
from .steps import StepOutcome, depends_on, failed, skipped

ALONE = ("locust",)
"""Frameworks whose files are not run together with others."""
IN_NODE = ("playwright",)
"""Frameworks whose files another runner runs than those of Python; beside these each has its own runs only."""


async def verify_suite(step: PlanStepState, state: PlanningAgentState, services: GraphServices) -> StepOutcome:
    """Run all kept test files together and prune cases that fail there; a single file was run already.

    Raises:
        ToolFailure, ToolTimeout, EnvironmentFault.
    """
    made = kept_results(state["plan"], step["params"].get("test_paths"))
    if not made:
        return skipped(StepExit.NOTHING_KEPT, "no test file was kept, so there is nothing to verify")
    if not state["run"]:
        layout = await _format(list(made), services)
        kept_ids = {path: made[path]["kept"] for path in made}
        result = {"executed": False, "test_paths": list(made), "kept": kept_ids, **layout}
        return StepOutcome("completed", StepExit.SWITCHED_OFF, result, "not executed: running is switched off")
    for result in made.values():
        await _restore(services, result)
    answer = _proven_by_own_run(list(made.values()))
    if answer is None:
        # A load test starts its own server and Locust for each profile: other tests are no company for it.
        together = _together(made)
        if together:
            options = {"framework": made[together[0]]["framework"]}
            answer = await services.tools.call("verify_suite", {"test_paths": together, "options": options})
        else:
            answer = {**(next(iter(made.values())).get("test_results") or {}), "dropped": []}
    dropped = _attributed(answer.get("dropped") or [], made)
    kept = {path: list(result["kept"]) for path, result in made.items()}
    await _remove(made, kept, dropped, services)
    layout = await _format([path for path in made if kept[path]], services)
    by_pytest = [path for path in made if kept[path] and made[path]["framework"] not in ALONE]
    own, refused = await _own_pytest(by_pytest, answer, state, services)
    refused = _attributed(refused, made)
    for path, result in made.items():
        # Cases are taken out of a file as its spec renders.
        if _removed_cases(path, kept[path], refused):
            await _restore(services, result)
    await _remove(made, kept, refused, services)
    remaining = [path for path in made if kept[path]]
    if refused:
        layout = await _format(remaining, services)
    result = {
        "executed": True,
        **({"own_pytest": own} if own is not None else {}),
        "test_paths": remaining,
        "kept": kept,
        "dropped": [*dropped, *refused],
        "suite": within_limit(answer),
        **layout,
    }
    if not remaining:
        return StepOutcome("failed", StepExit.NOTHING_KEPT, result, "no test holds when all run together")
    return StepOutcome("completed", StepExit.COMPLETED, result)


def _together(made: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The files that are run together: those of one runner, which is that of Python where there are several."""
    runners = {path: result["framework"] for path, result in made.items() if result["framework"] not in ALONE}
    in_node = {path for path, framework in runners.items() if framework in IN_NODE}
    return [path for path in runners if len(in_node) == len(runners) or path not in in_node]


async def _format(paths: Sequence[str], services: GraphServices) -> dict[str, str]:
    """Give staged files the layout of the project's own configuration, in which they run and land.

    A formatter that fails leaves them as they are: no test is lost for its looks. The part of the step's result that
    says so is returned: `not_formatted`, the reason; empty where all is well.
    """
    if not any(path.endswith(".py") for path in paths):
        return {}
    try:
        problem = (await services.tools.call("format_tests", {"test_paths": list(paths)})).get("problem")
    except ToolFailure as error:
        problem = str(error)
    return {"not_formatted": str(problem)} if problem else {}


async def _own_pytest(
    paths: Sequence[str], answer: Mapping[str, Any], state: PlanningAgentState, services: GraphServices
) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    """Run the project's own `pytest` on kept files: its answer, and the cases that do not hold under it.

    Cases are refused only where others pass: what fails for all of them is the project's matter, and is reported.
    """
    files = [path for path in paths if path.endswith(".py")]
    if not files or answer.get("framework", "pytest") != "pytest":
        return None, []
    place = {"tests_dir": state["tests_dir"]} if state["tests_dir"] else {}
    own = await services.tools.call("run_own_pytest", {"test_paths": files, **place})
    failing = {row["nodeid"]: row["message"] for row in own["failing"]} if own["passed"] else {}
    cases = {row.get("nodeid"): row.get("case_id") for row in answer.get("tests") or ()}
    refused = [
        {
            "case_id": cases.get(nodeid),
            "nodeid": nodeid,
            "class": "environment",
            "reason": "it does not pass under the project's own pytest settings",
            "message": message,
        }
        for nodeid, message in failing.items()
        if cases.get(nodeid) or nodeid in files
    ]
    return within_limit(own), refused


async def _remove(
    made: Mapping[str, Mapping[str, Any]],
    kept: dict[str, list[str]],
    dropped: Sequence[Mapping[str, Any]],
    services: GraphServices,
) -> None:
    """Remove dropped cases from their files, and from `kept`, the case ids by path."""
    for path, result in made.items():
        removed = _removed_cases(path, kept[path], dropped)
        if removed:
            kept[path] = [case_id for case_id in kept[path] if case_id not in removed]
            gone = set(result["kept"]) - set(kept[path])
            await _prune(services, result, [*dropped_ids(result["dropped"] or []), *sorted(gone)])


def _proven_by_own_run(results: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the results of the only file's own run if the file is unchanged since; None if tests must run together."""
    if len(results) != 1:
        return None
    own_run = results[0].get("test_results") or {}
    # Sorted: the tests of a parametrised table are adjacent in the file, wherever their cases are in the spec.
    same = own_run.get("repeats") and sorted(own_run.get("kept") or ()) == sorted(results[0]["kept"])
    return {**own_run, "dropped": []} if same else None


async def accept_tests(step: PlanStepState, state: PlanningAgentState, services: GraphServices) -> StepOutcome:
    """Add the verified and the engineered files to the project; without `accept` they stay staged.

    When a file of the project would be overwritten, the step fails and its result lists every file with its outcome,
    `conflict` included.

    Raises:
        ToolFailure: nothing was added.
    """
    paths = accepted_paths(step, state["plan"])
    if not paths:
        return skipped(StepExit.NOTHING_KEPT, "no test file was kept, so there is nothing to accept")
    # A dry run, and one whose tests a person reviews, ends here: the files stay staged.
    if not state["accept"]:
        outcome = skipped(StepExit.SWITCHED_OFF, "the files are staged for review and can be applied later")
        files = [{"path": path, "outcome": "staged"} for path in staged_by_engineer(state["plan"])]
        result = {"staged": paths, **({"files": files} if files else {})}
        return StepOutcome(outcome.status, outcome.exit_reason, result, outcome.message)
    try:
        answer = await services.tools.call("accept_tests", {"test_paths": paths})
    except StorageError as error:
        # The run's own state failed, not the project: no step may continue.
        if error.details.get("of") != "project":
            raise
        return failed(fault_of(error), {"test_paths": paths, "staged": paths})
    except ToolFailure as error:
        conflicts = error.details.get("conflicts")
        # Another failure than a conflict: whoever executes the step decides about a retry.
        if not isinstance(conflicts, list):
            raise
        added = error.details.get("files")
        outcomes = [
            *(added if isinstance(added, list) else []),
            *({**conflict, "outcome": "conflict"} for conflict in conflicts),
        ]
        return failed(fault_of(error), {"test_paths": paths, "files": outcomes})
    return StepOutcome("completed", StepExit.COMPLETED, {"test_paths": paths, **answer})


def accepted_paths(step: PlanStepState, plan: Sequence[PlanStepState]) -> list[str]:
    """Paths of the files that a step adds to the project, once what it depends on has ended."""
    verified = _verified_before(step, plan)
    # A verified suite lists what holds together; without that step, each target's own result counts.
    if verified:
        paths = [path for other in verified for path in (other["result"] or {}).get("test_paths") or []]
    else:
        paths = list(kept_results(plan, step["params"].get("test_paths")))
    return [*paths, *staged_by_engineer(plan)]


def _verified_before(step: PlanStepState, plan: Sequence[PlanStepState]) -> list[PlanStepState]:
    """Completed verifications: those that the step depends on, or all where it depends on none."""
    verifying = [other for other in plan if other["type"] == "verify_suite"]
    own = [other for other in verifying if other["id"] in depends_on(step)] or verifying
    return [other for other in own if other["status"] == "completed"]


async def retrieve_for_plan(step: PlanStepState, services: GraphServices) -> StepOutcome:
    """Retrieve context for the steps that follow. Raises ToolTimeout; other failures end the step."""
    params = step["params"]
    arguments = {"query": params["query"], "file_paths": params.get("file_paths") or []}
    try:
        answer = await services.tools.call("get_codebase_context", arguments)
    except ToolFailure as error:
        if is_transient(error):
            raise
        return failed(Fault(StepExit.TOOL_FAILURE, str(error)))
    return StepOutcome("completed", StepExit.COMPLETED, within_limit(answer))


def kept_results(plan: Sequence[PlanStepState], wanted: Sequence[str] | None) -> dict[str, dict[str, Any]]:
    """Select results of completed generate steps that kept a test, by test path, in plan order; of `wanted` paths."""
    results: dict[str, dict[str, Any]] = {}
    for step in plan:
        result = step["result"] or {}
        path = str(result.get("test_path") or "")
        kept = step["status"] == "completed" and path and result.get("kept") and "spec_path" in result
        if kept and (wanted is None or path in wanted):
            results[path] = result
    return results


def _attributed(dropped: Iterable[Mapping[str, Any]], made: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Assign each dropped case to its file: the one it names, else every file that keeps a case of that id."""
    found: list[dict[str, Any]] = []
    for row in dropped:
        case_id = row.get("case_id")
        candidates = (row.get("test_path"), str(row.get("nodeid") or "").partition("::")[0])
        named = [path for path in candidates if path in made][:1]
        holders = named or [path for path, result in made.items() if case_id in result["kept"]]
        found += [{**row, "case_id": case_id, "test_path": path} for path in holders or [None]]
    return found


def _removed_cases(path: str, kept: Sequence[str], dropped: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the cases to remove from a file; all of them when the file itself could not be loaded."""
    of_file = [row for row in dropped if row["test_path"] == path]
    if any(row.get("nodeid") == path and not row["case_id"] for row in of_file):
        return set(kept)
    return {str(row["case_id"]) for row in of_file}


async def _restore(services: GraphServices, result: Mapping[str, Any]) -> None:
    """Stage a file as its generate step left it, so that an interrupted verification starts from the same file."""
    spec = await asyncio.to_thread(services.artifacts.get, result["spec_artifact_id"])
    await services.tools.call(
        "write_file", {"path": result["spec_path"], "contents": pretty_json(spec.payload["spec"])}
    )
    code = await asyncio.to_thread(services.artifacts.get, result["code_artifact_id"])
    for file in code.payload["files"]:
        await services.tools.call("write_file", {"path": staged(file["path"]), "contents": file["contents"]})
    before = dropped_ids(result["dropped"] or [])
    if before:
        await _prune(services, result, before)


async def _prune(services: GraphServices, result: Mapping[str, Any], drop: list[str]) -> None:
    arguments = {
        "test_path": result["test_path"],
        "spec_path": result["spec_path"],
        "drop": drop,
        "framework": result["framework"],
    }
    await services.tools.call("prune_tests", arguments)
