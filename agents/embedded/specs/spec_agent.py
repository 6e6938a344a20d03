"""The spec agent without a model: one generator for each test type, and the same refinement for all.

The same project and request give the same spec. A refinement repairs what the validation reported.
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
from .spec_generator import SpecGenerator


class EmbeddedSpecAgent(Agent):
    """Specifies the tests of one target.

    Inputs: `target`, `test_type` (unit when it is missing), `framework`, `user_request`; to refine also `previous_spec`
    and `errors`. Result: `spec`. The response's metadata comes from the generator of the test type, and after a
    refinement `dropped` (case_id, reason) and `changes`. The constraint `seconds` is how long a first spec may take.

    Args:
        generators: generate first specs, by test type; other types are refused with a typed error.
        contract: the schemas to check.
    """

    def __init__(self, generators: Mapping[str, SpecGenerator], *, contract: AgentContract | None = None) -> None:
        super().__init__("spec", contract=contract)
        self._generators = dict(generators)

    async def _work(self, request: AgentRequest) -> AgentResponse:
        inputs = consumer_view(request.inputs or {})
        test_type = str(inputs.get("test_type") or "unit")
        generator = self._generators.get(test_type)
        if generator is None:
            known = ", ".join(self._generators)
            return _refused(f"the embedded spec agent specifies {known} tests, not {test_type} tests", {})
        previous = inputs.get("previous_spec")
        if isinstance(previous, Mapping) and inputs.get("errors"):
            return await asyncio.to_thread(_refined, previous, inputs["errors"])
        generated = await generator.generate(inputs, seconds=(request.constraints or {}).get("seconds"))
        return success_response({"spec": generated.spec}, trace=generated.trace, metadata=generated.metadata)


def _refined(previous: Mapping[str, Any], errors: Any) -> AgentResponse:
    repair = repair_spec(previous, errors)
    dropped = [{"case_id": name, "reason": reason} for name, reason in repair.dropped.items()]
    trace: list[JsonObject] = [{"event": "case_dropped", **row} for row in dropped]
    trace += [{"event": "mended", "change": change} for change in repair.changes]
    metadata: JsonObject = {"dropped": dropped, "changes": repair.changes}
    if not dropped and not repair.changes:
        return _refused("none of the errors could be mended without weakening a case", metadata)
    return success_response({"spec": repair.spec}, trace=trace, metadata=metadata)


def _refused(message: str, metadata: JsonObject) -> AgentResponse:
    return error_response(ErrorType.VALIDATION, message, details={"error": "AgentFailure"}, metadata=metadata)
