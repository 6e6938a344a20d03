"""Cases that do not stay: taken out of the staged file by the tool, and remembered with their reason."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from langgraph.runtime import Runtime

from ..context import RunContext, services_of
from .state import TestingAgentState


async def prune(
    state: TestingAgentState, runtime: Runtime[RunContext], drop: Iterable[str], kept: list[str]
) -> list[str]:
    """Take cases out of the test file; the answer is what is left of `kept`, in order.

    The tool is given every case dropped so far, not only the new ones: it renders the file from the spec. Nothing is
    called when nothing is to go. When nothing is left the tool takes the staged file away.

    Raises:
        ToolFailure: the file could not be rendered without them.
    """
    going = set(drop)
    left = [case_id for case_id in kept if case_id not in going]
    gone = [case_id for case_id in kept if case_id in going]
    if gone:
        arguments = {
            "test_path": state["test_path"],
            "spec_path": state["spec_path"],
            "drop": list(dict.fromkeys([*dropped_ids(state["dropped"]), *gone])),
            "framework": state["framework"],
        }
        await services_of(runtime).tools.call("prune_tests", arguments)
    return left


def earlier_dropped(state: TestingAgentState) -> list[dict[str, Any]]:
    """Dropped cases that the spec no longer has: what a refinement after the run goes on without."""
    if not state["dropped"]:
        return []
    there = {case.get("id") for case in (state["spec_json"] or {}).get("cases") or []}
    return [one for one in state["dropped"] if one.get("case_id") and one["case_id"] not in there]


def dropped_ids(dropped: Iterable[dict[str, Any]]) -> list[str]:
    """Ids of dropped cases, each once; a test that belongs to no case has none."""
    return list(dict.fromkeys(str(one["case_id"]) for one in dropped if one.get("case_id")))
