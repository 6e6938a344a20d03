"""The health check without a model: how many steps fail, and whether one reason stands behind them."""

from __future__ import annotations

from ...contract.lifecycle import Agent
from ...contract.protocol import AgentRequest, JsonObject
from ...control.health import HealthReport, HealthStatus

_DEGRADED = 0.25
_CRITICAL = 0.75
_LEAST_ERRORS = 3
_SCARCE_PERCENT = 90.0


class EmbeddedHealthAgent(Agent):
    """Assesses a run from a `HealthContext`; the result is a `HealthReport`. It never ends a run by itself."""

    role = "health"

    async def _work(self, request: AgentRequest) -> JsonObject:
        inputs = request.inputs or {}
        errors, ratio = [str(error) for error in inputs["recentErrors"]], float(inputs["errorRatio"])
        filled = float(inputs["contextFillPercent"])
        warnings, suggestions = [], []
        if ratio >= _DEGRADED and errors:
            warnings.append(f"{ratio:.0%} of the steps failed; the last one: {errors[-1]}")
        if len(errors) >= _LEAST_ERRORS and len(set(errors[-_LEAST_ERRORS:])) == 1:
            suggestions.append("the last steps failed for one reason: mend it, then resume the run")
        if filled >= _SCARCE_PERCENT:
            warnings.append(f"{filled:.0f} % of what the ceilings allow is used")
        is_critical = ratio >= _CRITICAL and len(errors) >= _LEAST_ERRORS
        status = HealthStatus.CRITICAL if is_critical else HealthStatus.DEGRADED if warnings else HealthStatus.HEALTHY
        metrics = {"errorRatio": ratio, "contextFillRatio": filled / 100}
        return HealthReport(status, warnings, suggestions, metrics).to_json()
