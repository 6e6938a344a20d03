"""The safety gate without a model: approves a step whose every risk the user has consented to."""

from __future__ import annotations

from ...contract.lifecycle import Agent
from ...contract.protocol import AgentRequest, JsonObject

_ADVICE = {
    "requests_host": "say --yes when it may send requests there",
    "runs_application": "run it in a sandbox, or say --yes",
    "writes_outside_tests": "say --yes when it may write there",
    "installs": "install it yourself, or say --yes",
    "spends_money": "set --max-cost, or say --yes",
    "declared": "the plan says so; say --yes when it may be executed",
}


class EmbeddedSafetyAgent(Agent):
    """Decides whether a step of medium or high risk may be executed.

    Inputs: `step`, `risk` (`level`, and `reasons` of `kind` and `text`), `consented` (the kinds the user has consented
    to). Result: `safe`, a boolean, and `reason`.
    """

    role = "safety"

    async def _work(self, request: AgentRequest) -> JsonObject:
        inputs = request.inputs or {}
        consented = set(inputs.get("consented") or ())
        open_reasons = [row for row in inputs["risk"]["reasons"] if row["kind"] not in consented]
        if not open_reasons:
            return {"safe": True, "reason": "consented"}
        advice = "; ".join(dict.fromkeys(_ADVICE.get(row["kind"], "say --yes") for row in open_reasons))
        return {"safe": False, "reason": f"{'; '.join(row['text'] for row in open_reasons)} ({advice})"}
