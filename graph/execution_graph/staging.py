"""Stages test files in the run's folder through tools, and removes dropped cases from them; never in the project."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from langgraph.runtime import Runtime

from ...agents.contract.protocol import AgentResponse
from ...core.errors import TestwrightError
from ..context import RunContext, services_of
from .state import TestingAgentState

STAGED = "staged"


def staged(path: str) -> str:
    """Return where a file of the project is staged, relative to the run's folder."""
    return f"{STAGED}/{path}"


async def stage(files: Iterable[Mapping[str, str]], runtime: Runtime[RunContext]) -> list[str]:
    """Write files through the file tool. Returns their paths in the run's folder, in the given order.

    Raises:
        ToolFailure: a path leads out of the run's folder, or cannot be written.
    """
    tools = services_of(runtime).tools
    paths: list[str] = []
    for file in files:
        path = staged(file["path"])
        await tools.call("write_file", {"path": path, "contents": file["contents"]})
        paths.append(path)
    return paths


async def stage_answer(
    state: TestingAgentState, files: list[Mapping[str, str]], response: AgentResponse, runtime: Runtime[RunContext]
) -> dict[str, Any]:
    """Stage the files of a writer's answer. Returns the state update, with the cases that it could not write dropped.

    Raises ToolFailure.
    """
    paths = await stage(files, runtime)
    wanted = staged(state["test_path"])
    not_written = [
        {"case_id": row["case_id"], "nodeid": "", "reason": f"not written: {row['reason']}", "class": "test_defect"}
        for row in response.metadata.get("not_written") or ()
    ]
    return {
        "generated_files": paths,
        # A writer may have named the test file otherwise: then its first file is the test file.
        "generated_code_path": wanted if wanted in paths else next(iter(paths), None),
        "dropped": _dropped_before(state) + not_written,
    }


async def read_staged(paths: Iterable[str], runtime: Runtime[RunContext]) -> list[dict[str, str]]:
    """Read staged files as `{path, contents}`, paths as in the project. Raises ToolFailure."""
    tools = services_of(runtime).tools
    files: list[dict[str, str]] = []
    for path in paths:
        answer = await tools.call("read_file", {"path": path})
        files.append({"path": path.removeprefix(f"{STAGED}/"), "contents": answer["contents"]})
    return files


async def accepted_files(state: TestingAgentState, runtime: Runtime[RunContext]) -> list[Mapping[str, str]]:
    """Load the accepted files, `{path, contents}` each, from the artifact store. Raises StorageError."""
    artifact_id = state["code_artifact_id"]
    if artifact_id is None:
        raise TestwrightError("the test files were requested before they were accepted")
    artifact = await asyncio.to_thread(services_of(runtime).artifacts.get, artifact_id)
    return artifact.payload["files"]


async def restore_kept(state: TestingAgentState, runtime: Runtime[RunContext]) -> list[str]:
    """Stage the last accepted test files with the kept cases, after a refinement failed. Returns the staged paths.

    Raises:
        StorageError, ToolFailure.
    """
    paths = await stage(await accepted_files(state, runtime), runtime)
    cases = [str(case["id"]) for case in (state["spec_json"] or {}).get("cases") or []]
    await prune(state, runtime, set(cases) - set(state["kept"]), cases)
    return paths


async def prune(
    state: TestingAgentState, runtime: Runtime[RunContext], drop: Iterable[str], kept: list[str]
) -> list[str]:
    """Remove cases from the staged test file. Returns the rest of `kept`, in order.

    The tool gets every case dropped so far, not only the new ones, because it renders the file from the spec. It is not
    called when nothing is to be removed. When no case is left the tool removes the staged file.

    Raises:
        ToolFailure: the file could not be rendered without them.
    """
    dropped = set(drop)
    gone = [case_id for case_id in kept if case_id in dropped]
    if gone:
        arguments = {
            "test_path": state["test_path"],
            "spec_path": state["spec_path"],
            "drop": list(dict.fromkeys([*dropped_ids(state["dropped"]), *gone])),
            "framework": state["framework"],
        }
        await services_of(runtime).tools.call("prune_tests", arguments)
    return [case_id for case_id in kept if case_id not in dropped]


def dropped_ids(dropped: Iterable[Mapping[str, Any]]) -> list[str]:
    """Ids of dropped cases, each once; a test that belongs to no case has none."""
    return list(dict.fromkeys(str(row["case_id"]) for row in dropped if row.get("case_id")))


def _dropped_before(state: TestingAgentState) -> list[dict[str, Any]]:
    """Dropped cases that the spec no longer has: a refinement after the run continues without them."""
    if not state["dropped"]:
        return []
    present = {case.get("id") for case in (state["spec_json"] or {}).get("cases") or []}
    return [row for row in state["dropped"] if row.get("case_id") and row["case_id"] not in present]
