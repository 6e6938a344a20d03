"""Steps that work on what the generate steps left: verify it together, add it to the project, look something up."""

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
from .steps import StepOutcome, failed, skipped


async def verify_suite(step: PlanStepState, state: PlanningAgentState, services: GraphServices) -> StepOutcome:
    """Run all kept test files together, and prune what does not hold in company (B-11); one file was run already.

    Raises:
        ToolFailure, ToolTimeout, EnvironmentFault.
    """
    made = kept_results(state["plan"], step["params"].get("test_paths"))
    if not made:
        return skipped(StepExit.NOTHING_KEPT, "no test file was kept, so there is nothing to verify")
    if not state["run"]:
        result = {"executed": False, "test_paths": list(made), "kept": {path: made[path]["kept"] for path in made}}
        return StepOutcome("completed", StepExit.SWITCHED_OFF, result, "not executed: running is switched off")
    for result in made.values():
        await _restore(services, result)
    answer = _proven_alone(list(made.values()))
    if answer is None:
        options = {key: step["params"][key] for key in ("framework",) if step["params"].get(key)}
        answer = await services.tools.call("verify_suite", {"test_paths": list(made), "options": options})
    dropped = _attributed(answer.get("dropped") or [], made)
    kept: dict[str, list[str]] = {}
    for path, result in made.items():
        going = _going(path, result["kept"], dropped)
        kept[path] = [case_id for case_id in result["kept"] if case_id not in going]
        if going:
            await _prune(services, result, [*dropped_ids(result["dropped"] or []), *sorted(going)])
    left = [path for path in made if kept[path]]
    result = {"executed": True, "test_paths": left, "kept": kept, "dropped": dropped, "suite": within_limit(answer)}
    if not left:
        return StepOutcome("failed", StepExit.NOTHING_KEPT, result, "no test holds when all run together")
    return StepOutcome("completed", StepExit.COMPLETED, result)


def _proven_alone(results: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """What the run of the only file showed, when it is still the file that was run: there is no other company for it.

    None where the tests have to be run together.
    """
    if len(results) != 1:
        return None
    seen = results[0].get("test_results") or {}
    # Tests of a table stand together in the file, wherever their cases are in the spec.
    same = seen.get("repeats") and sorted(seen.get("kept") or ()) == sorted(results[0]["kept"])
    return {**seen, "dropped": []} if same else None


async def accept_tests(step: PlanStepState, state: PlanningAgentState, services: GraphServices) -> StepOutcome:
    """Add the verified and the engineered files to the project; on a dry run they stay staged (B-09).

    When a file is in the way, the result lists every file with its outcome, `conflict` included, and the step failed.

    Raises:
        ToolFailure: nothing was added.
    """
    verified = [one for one in state["plan"] if one["type"] == "verify_suite" and one["status"] == "completed"]
    if verified:
        paths = [path for one in verified for path in (one["result"] or {}).get("test_paths") or []]
    else:
        paths = list(kept_results(state["plan"], step["params"].get("test_paths")))
    paths += staged_by_engineer(state["plan"])
    if not paths:
        return skipped(StepExit.NOTHING_KEPT, "no test file was kept, so there is nothing to accept")
    if not state["accept"]:
        outcome = skipped(StepExit.SWITCHED_OFF, "dry run: the files are staged and can be applied later")
        files = [{"path": path, "outcome": "staged"} for path in staged_by_engineer(state["plan"])]
        result = {"staged": paths, **({"files": files} if files else {})}
        return StepOutcome(outcome.status, outcome.exit_reason, result, outcome.message)
    try:
        answer = await services.tools.call("accept_tests", {"test_paths": paths})
    except StorageError as error:
        if error.details.get("of") != "project":
            raise
        return failed(fault_of(error), {"test_paths": paths, "staged": paths})
    except ToolFailure as error:
        conflicts = error.details.get("conflicts")
        if not isinstance(conflicts, list):
            raise
        added = error.details.get("files")
        outcomes = [*(added if isinstance(added, list) else []), *({**one, "outcome": "conflict"} for one in conflicts)]
        return failed(fault_of(error), {"test_paths": paths, "files": outcomes})
    return StepOutcome("completed", StepExit.COMPLETED, {"test_paths": paths, **answer})


async def retrieve_for_plan(step: PlanStepState, services: GraphServices) -> StepOutcome:
    """Look something up for the steps that follow. Raises ToolTimeout; other failures end the step."""
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
    """Results of completed generate steps that kept a test, by test path, in plan order; of `wanted` paths only."""
    results: dict[str, dict[str, Any]] = {}
    for step in plan:
        result = step["result"] or {}
        path = str(result.get("test_path") or "")
        made = step["status"] == "completed" and path and result.get("kept") and "spec_path" in result
        if made and (wanted is None or path in wanted):
            results[path] = result
    return results


def _attributed(dropped: Iterable[Mapping[str, Any]], made: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Dropped cases with the file each is of: as they say, or every file that keeps a case of that id."""
    found: list[dict[str, Any]] = []
    for one in dropped:
        case_id = one.get("case_id")
        said = (one.get("test_path"), str(one.get("nodeid") or "").partition("::")[0])
        named = [path for path in said if path in made][:1]
        holders = named or [path for path, result in made.items() if case_id in result["kept"]]
        found += [{**one, "case_id": case_id, "test_path": path} for path in holders or [None]]
    return found


def _going(path: str, kept: Sequence[str], dropped: Iterable[Mapping[str, Any]]) -> set[str]:
    """The cases of a file that do not stay; all of them when the file itself could not be loaded."""
    of_file = [one for one in dropped if one["test_path"] == path]
    if any(one.get("nodeid") == path and not one["case_id"] for one in of_file):
        return set(kept)
    return {str(one["case_id"]) for one in of_file}


async def _restore(services: GraphServices, result: Mapping[str, Any]) -> None:
    """Stage a file as its generate step left it, so that a verification which was interrupted begins from the same."""
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
