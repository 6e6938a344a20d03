"""Going back to the tests that were kept, when a refinement after they ran comes to nothing."""

from __future__ import annotations

from langgraph.runtime import Runtime

from ..context import RunContext
from .boundary import accepted_files
from .pruning import prune
from .staging import stage
from .state import TestingAgentState


async def restored(state: TestingAgentState, runtime: Runtime[RunContext]) -> list[str]:
    """Stage the files that were accepted before, with the cases that are kept; the answer is their staged paths.

    Raises:
        StorageError, ToolFailure.
    """
    paths = await stage(await accepted_files(state, runtime), runtime)
    cases = [str(case["id"]) for case in (state["spec_json"] or {}).get("cases") or []]
    await prune(state, runtime, set(cases) - set(state["kept"]), cases)
    return paths
