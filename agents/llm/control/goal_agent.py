"""Goal validation with a model: whether the finished work satisfies the request, beyond what can be counted."""

from __future__ import annotations

from typing import Any

from ...contract.protocol import AgentRequest, AgentResponse, success_response
from ...control.flags import check_flags, flags
from ..model_agent import ModelAgent, closed, text_of
from ..prompt import bullets, data
from .plan_lines import LONGEST_TEXT, latest, step_lines

_SCHEMA = closed(is_met={"type": "boolean"}, critique=text_of(600), reason=text_of(300))


class ModelGoalAgent(ModelAgent):
    """Decides whether a finished plan meets its request; inputs as of the embedded goal agent.

    What the embedded one finds missing stands, and no model is asked. Else the model reads the request, the steps and
    the log. Its critique is a request, with the flag terminate; one that repeats an earlier one counts for nothing.
    """

    role = "goal"

    async def _answer(self, request: AgentRequest) -> AgentResponse:
        inputs = request.consumer_inputs()
        steps, counted = inputs["steps"], await self._embedded_response(request)
        if counted.is_error() or check_flags(counted, "Goal").should_halt:
            return counted
        earlier = [str(critique) for critique in inputs.get("critiques") or ()]
        values = {
            "request": data("request", str(inputs.get("request") or "")[:LONGEST_TEXT]),
            "verdict": str(inputs.get("judgeVerdict") or "isComplete=true"),
            "steps": data("steps", step_lines(steps)),
            "history": data("history", latest(map(str, inputs.get("history") or ()))),
            "not_understood": data("not_understood", bullets(str(row) for row in inputs.get("not_understood") or ())),
            "critiques": data("critiques", bullets(earlier)),
        }
        said: Any = (await self._ask_model(self._prompt.text("validate", values), _SCHEMA)).parsed
        critique = str(said["critique"]).strip()
        reason = str(said["reason"]).strip()
        if said["is_met"] or not critique or critique in earlier:
            return success_response(reason or "the request is met")
        return success_response(critique, metadata=flags(terminate=True, reason=reason or critique))
