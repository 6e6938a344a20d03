"""The summary of past turns without a model."""

from __future__ import annotations

from ...contract.lifecycle import Agent
from ...contract.protocol import AgentRequest, AgentResponse, success_response

_MOST_LINES = 12
_LONGEST_LINE = 160


class EmbeddedSummaryAgent(Agent):
    """Sums up the steps that ended, in words: each with its status, the tests it kept, and why it failed.

    Inputs: `steps` as of goal validation. Result: the summary, which takes the place of the one before.
    """

    role = "summary"

    async def _work(self, request: AgentRequest) -> AgentResponse:
        steps = [step for step in (request.inputs or {}).get("steps") or () if step["status"] not in _OPEN]
        lines = [_line(step) for step in steps[-_MOST_LINES:]]
        left_out = len(steps) - len(lines)
        head = [f"{left_out} earlier steps ended."] if left_out else []
        return success_response("\n".join([*head, *lines]))


_OPEN = ("pending", "in_progress")


def _line(step: dict[str, object]) -> str:
    about = f" ({step['path']})" if step.get("path") else ""
    kept = f", {step['kept']} tests kept" if step.get("kept") else ""
    why = f": {step['error']}" if step.get("error") else ""
    return f"{step['id']}{about} {step['status']}{kept}{why}"[:_LONGEST_LINE]
