"""The spec writer that needs no model: each test type has its own way to a spec, refinements are the same for all.

The same project and request give the same spec (B-06); a refinement mends what the validation named (T-06).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from ....engine.python.write.repair import repair_spec
from ...contract.lifecycle import Agent, AgentContract
from ...contract.protocol import (
    AgentRequest,
    AgentResponse,
    ErrorType,
    JsonObject,
    consumer_view,
    error_response,
    success_response,
)
from .spec_generator import Specifier


class EmbeddedSpecAgent(Agent):
    """Specifies the tests of one target.

    Inputs: `target`, `test_type` (unit when it is missing), `framework`, `user_request`; to refine also `previous_spec`
    and `errors`. Result: `spec`. The response's metadata is what the specifier of the test type tells, and after a
    refinement `dropped` (case_id, reason) and `changes`. The constraint `seconds` is how long a first spec may take.

    Args:
        specifiers: who writes first specs, by test type; other types are refused with a typed error.
        contract: the schemas the agent is held to.
    """

    def __init__(self, specifiers: Mapping[str, Specifier], *, contract: AgentContract | None = None) -> None:
        super().__init__("spec", contract=contract)
        self._specifiers = dict(specifiers)

    async def _work(self, request: AgentRequest) -> AgentResponse:
        inputs = consumer_view(request.inputs or {})
        test_type = str(inputs.get("test_type") or "unit")
        specifier = self._specifiers.get(test_type)
        if specifier is None:
            known = ", ".join(self._specifiers)
            return _refused(f"the embedded spec agent specifies {known} tests, not {test_type} tests", {})
        previous = inputs.get("previous_spec")
        if isinstance(previous, Mapping) and inputs.get("errors"):
            return await asyncio.to_thread(_refined, previous, inputs["errors"])
        done = await specifier.specify(inputs, seconds=(request.constraints or {}).get("seconds"))
        return success_response({"spec": done.spec}, trace=done.trace, metadata=done.metadata)


def _refined(previous: Mapping[str, Any], errors: Any) -> AgentResponse:
    repair = repair_spec(previous, errors)
    dropped = [{"case_id": name, "reason": reason} for name, reason in repair.dropped.items()]
    trace: list[JsonObject] = [{"event": "case_dropped", **one} for one in dropped]
    trace += [{"event": "mended", "change": one} for one in repair.changes]
    metadata: JsonObject = {"dropped": dropped, "changes": repair.changes}
    if not dropped and not repair.changes:
        return _refused("none of the errors could be mended without weakening a case", metadata)
    return success_response({"spec": repair.spec}, trace=trace, metadata=metadata)


def _refused(message: str, metadata: JsonObject) -> AgentResponse:
    return error_response(ErrorType.VALIDATION, message, details={"error": "AgentFailure"}, metadata=metadata)
