"""The lorebook's curator without a model: notes what stood in the way of tests, module by module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...contract.lifecycle import Agent
from ...contract.protocol import AgentRequest, JsonObject

_MOST_LINES = 6
_FAILED_WEIGHT = 80
_NOTED_WEIGHT = 40


class EmbeddedLorebookAgent(Agent):
    """Turns the steps that ended since the last update into entries, one for each target.

    Inputs: `turnsSinceLastUpdate` (rows of goal validation's `steps`), `currentLorebook`, `taskContext` with the turn.
    Result: `compactedThroughTurn`, `updates`, `deletions`. A target's entry is replaced by what this run found, and
    removed when nothing stands in the way any more.
    """

    role = "lorebook"

    async def _work(self, request: AgentRequest) -> JsonObject:
        inputs = request.inputs or {}
        known = {entry["key"] for entry in inputs.get("currentLorebook") or ()}
        updates, deletions = [], []
        for step in inputs.get("turnsSinceLastUpdate") or ():
            path = step.get("path")
            if not path:
                continue
            lines = _lines(step)
            if lines:
                weight = _FAILED_WEIGHT if step["status"] == "failed" else _NOTED_WEIGHT
                entry = {"key": path, "value": "\n".join(lines), "weight": weight}
                updates.append({**entry, **_EMPTY, "aliasKeys": _aliases(step), "operation": "Replace"})
            elif path in known:
                deletions.append(path)
        turn = inputs["taskContext"]["turn"]
        return {"compactedThroughTurn": turn, "updates": updates, "deletions": deletions}


_EMPTY: JsonObject = {"linkedKeys": [], "requiredKeys": []}


def _lines(step: Mapping[str, Any]) -> list[str]:
    """What a person who tests this target again would want to know."""
    failed = [str(step["error"])] if step["status"] == "failed" and step.get("error") else []
    return [*failed, *step.get("notes", ()), *step.get("reasons", ())][:_MOST_LINES]


def _aliases(step: Mapping[str, Any]) -> list[str]:
    return [step["module"]] if step.get("module") else []
