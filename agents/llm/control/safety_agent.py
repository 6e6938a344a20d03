"""The safety gate with a model, which may reject what the user has consented to, and approves nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....utils.canonical import canonical_json
from ...contract.protocol import AgentRequest, AgentResponse, success_response
from ..model_agent import ModelAgent, closed, text_of
from ..prompt import bullets, data
from .plan_lines import LONGEST_TEXT

_SCHEMA = closed(safe={"type": "boolean"}, reason=text_of(300))


class ModelSafetyAgent(ModelAgent):
    """Decides whether a step of medium or high risk may be executed; inputs and result as of the embedded gate.

    Who consents is the user, and the embedded gate knows to what. A step that it rejects stays rejected, whatever a
    model that reads the step's own words would say; one that it approves may still be rejected by the model.
    """

    role = "safety"

    async def _answer(self, request: AgentRequest) -> AgentResponse:
        consented = await self._embedded_response(request)
        verdict = consented.result
        if not consented.is_success() or not isinstance(verdict, Mapping) or verdict.get("safe") is not True:
            return consented
        inputs = request.consumer_inputs()
        step, risk = inputs["step"], inputs["risk"]
        values = {
            "goal": data("request", request.goal[:LONGEST_TEXT]),
            "name": data("step", f"{step.get('id')} ({step.get('name')}): {step.get('description')}"),
            "input_schema": data("schema", str(step.get("inputSchema") or "")),
            "params": data("params", canonical_json(step.get("params") or {})[:LONGEST_TEXT]),
            "risk": str(risk["level"]),
            "reasons": data("reasons", bullets(str(row.get("text")) for row in risk["reasons"])),
        }
        said: Any = (await self._ask_model(self._prompt.text("check", values), _SCHEMA)).parsed
        return success_response({"safe": said["safe"] is True, "reason": str(said["reason"])})
