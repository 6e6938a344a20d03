"""The health check with a model: reads the run's state, and may suggest a step in reserve or end the run."""

from __future__ import annotations

from typing import Any

from ....utils.canonical import canonical_json
from ...contract.protocol import AgentRequest, AgentResponse, success_response
from ..model_agent import ModelAgent, closed, list_of, optional, text_of
from ..prompt import bullets, data
from .plan_lines import LONGEST_TEXT, latest

_SCHEMA = closed(
    status={"type": "string", "enum": ["healthy", "degraded", "unhealthy"]},
    issues=list_of(text_of(240), 10),
    recommendations=list_of(text_of(240), 10),
    suggestedNextPath=optional(text_of(200)),
    terminateHarness={"type": "boolean"},
)
_IN_TEXT = ("turnHistorySummary", "recentErrors", "reservePathNames")


class ModelHealthAgent(ModelAgent):
    """Assesses a run from a `HealthContext`; the result is a `HealthReport` with the counted metrics.

    A suggestion counts only where it names a step in reserve.
    """

    role = "health"

    async def _answer(self, request: AgentRequest) -> AgentResponse:
        inputs = request.consumer_inputs()
        counted = await self._embedded_response(request)
        if counted.is_error():
            return counted
        reserve = [str(name) for name in inputs.get("reservePathNames") or ()]
        state = {key: value for key, value in inputs.items() if key not in _IN_TEXT}
        values = {
            "request": data("request", request.goal[:LONGEST_TEXT]),
            "state": data("state", canonical_json(state)[:LONGEST_TEXT]),
            "history": data("history", latest(map(str, inputs.get("turnHistorySummary") or ()))),
            "errors": data("errors", latest(map(str, inputs.get("recentErrors") or ()))),
            "reserve": data("reserve", bullets(reserve)),
        }
        said: Any = (await self._ask_model(self._prompt.text("assess", values), _SCHEMA)).parsed
        suggested = said["suggestedNextPath"]
        return success_response(
            {
                "status": said["status"],
                "warnings": said["issues"],
                "suggestions": said["recommendations"],
                "metrics": (counted.result or {}).get("metrics", {}),
                "suggestedNextPath": suggested if suggested in reserve else None,
                "terminateHarness": said["terminateHarness"],
            }
        )
