"""Goal validation without a model: finds public functions that no kept test runs and nothing explains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...contract.lifecycle import Agent
from ...contract.protocol import AgentRequest, AgentResponse, success_response
from ...control.flags import flags

_MOST = 20
_MOST_CRITIQUES = 3  # a further one would end a run that has what could be made


class EmbeddedGoalAgent(Agent):
    """Decides whether a finished plan meets its request.

    Inputs: `steps`, each with `status`, `test_type`, `path` and `untested` (names of its public functions that no kept
    test runs and for which no reason is known), and `critiques`, the earlier answers. A critique is a request for the
    missing tests in words that the planner understands, with the flag terminate. What a critique named already is not
    asked for again: a second try would find the same.
    """

    role = "goal"

    async def _work(self, request: AgentRequest) -> AgentResponse:
        inputs = request.inputs or {}
        critiques = [str(critique) for critique in inputs.get("critiques") or ()]
        # A path may hold spaces and commas.
        earlier = "".join(f" {critique}," for critique in critiques)
        missing = [name for name in _untested(inputs) if f" {name}," not in earlier]
        if not missing or len(critiques) >= _MOST_CRITIQUES:
            return success_response("the request is met as far as tests could be made")
        names = ", ".join(missing[:_MOST])
        return success_response(
            f"unit tests for {names}",
            metadata=flags(terminate=True, reason=f"no kept test runs {names}, and nothing says why"),
        )


def _untested(inputs: Mapping[str, Any]) -> Iterator[str]:
    for step in inputs.get("steps") or ():
        if step.get("status") == "completed" and step.get("test_type") == "unit":
            yield from (f"{step['path']}:{name}" for name in step.get("untested") or ())
