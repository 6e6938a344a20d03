"""Node `search_evidence`: the search agent collects evidence for the queries of this round into the memory."""

from __future__ import annotations

import asyncio
from typing import Any

from langgraph.runtime import Runtime

from ....agents.evidence.inputs import search_inputs
from ....agents.evidence.memory import EvidenceMemory
from ....agents.evidence.model import Evidence
from ....core.events import EventType
from ....utils.names.counted import counted
from ...context import RunContext, services_of
from ..asking import announce, ask
from ..state import EvidenceState

ROLE = "evidence_search"


async def search_evidence(state: EvidenceState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Ask for evidence, store what is new, and count rounds, and rounds in a row that brought nothing new."""
    announce(state, runtime, EventType.SEARCHING, ROLE, f"searching: {'; '.join(state['queries'])[:200]}")
    is_first = state["rounds"] == 0
    inputs = search_inputs(
        state["target_info"],
        state["queries"],
        state["names"],
        state["symbols"],
        api_document=state["api_document"] if is_first else "",
        with_history=state["with_history"] and is_first,
    )
    result, update = await ask(state, runtime, ROLE, "collect_evidence", inputs)
    memory = EvidenceMemory.from_dict(state["memory"])
    found, broken = _readable((result or {}).get("evidence") or ())
    new = await asyncio.to_thread(memory.store_evidence, found)  # compares each piece with all others
    memory.iteration_count += 1
    services_of(runtime).emit(
        EventType.SEARCH_COMPLETE,
        f"{len(new)} new of {counted(len(found), 'source')}",
        state["step_id"] or None,
        evidence=len(new),
    )
    failed = [f"{ROLE}: {one}" for one in (result or {}).get("not_searched") or ()]
    return {
        **update,
        "warnings": [*update.get("warnings", []), *failed, *broken],
        "memory": memory.to_dict(),
        "rounds": state["rounds"] + 1,
        "stalls": 0 if new else state["stalls"] + 1,
    }


def _readable(rows: Any) -> tuple[list[Evidence], list[str]]:
    """The pieces that can be read, and a warning about the others."""
    found: list[Evidence] = []
    for row in rows:
        try:
            found.append(Evidence.from_dict(row))
        except (KeyError, TypeError, ValueError):
            continue
    lost = len(rows) - len(found)
    return found, [f"{ROLE}: {counted(lost, 'piece')} of evidence could not be read"] if lost else []
