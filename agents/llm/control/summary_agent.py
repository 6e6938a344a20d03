"""The summary of past turns with a model; later planners and health checks read it in place of the log."""

from __future__ import annotations

from typing import Any

from ...contract.protocol import AgentRequest, AgentResponse, success_response
from ..model_agent import ModelAgent, UnusableAnswer, closed, text_of
from ..prompt import data
from .plan_lines import LONGEST_TEXT, step_lines

_SCHEMA = closed(summary=text_of(1500))


class ModelSummaryAgent(ModelAgent):
    """Sums up the steps that ended; inputs and result as of the embedded summary agent.

    An answer without words, or in the wrong form, leaves the embedded summary.
    """

    role = "summary"

    async def _answer(self, request: AgentRequest) -> AgentResponse:
        steps = request.consumer_inputs()["steps"]
        counted = await self._embedded_response(request)
        if counted.is_error() or not counted.result:
            return counted
        values = {"request": data("request", request.goal[:LONGEST_TEXT]), "steps": data("steps", step_lines(steps))}
        try:
            said: Any = (await self._ask_model(self._prompt.text("sum_up", values), _SCHEMA)).parsed
        except UnusableAnswer:
            return counted
        return success_response(str(said["summary"]).strip() or counted.result)
