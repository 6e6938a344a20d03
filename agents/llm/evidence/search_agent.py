"""The search agent with a model: it adds queries of its own to those that are searched for anyway."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ....core.errors import AgentFailure
from ...contract.protocol import AgentRequest, AgentResponse
from ..model_agent import ModelAgent, closed, list_of, text_of
from ..prompt import bullets, data

_MOST_QUERIES = 5
_SCHEMA = closed(queries=list_of(text_of(200), _MOST_QUERIES))


class ModelSearchAgent(ModelAgent):
    """Collects evidence; inputs and result as of the embedded search agent."""

    role = "evidence_search"

    async def _answer(self, request: AgentRequest) -> AgentResponse:
        if self._engine is None:
            raise AgentFailure("there is no embedded search agent here")
        inputs = dict(request.consumer_inputs())
        asked = [str(query) for query in inputs["queries"]]
        values = {
            "target": data("target", f"{inputs['target']}\n{bullets(inputs.get('names') or ())}"),
            "queries": data("queries", bullets(asked)),
        }
        said: Any = (await self._ask_model(self._prompt.text("search", values), _SCHEMA)).parsed
        more = [query for query in said["queries"] if query.strip() and query not in asked]
        # The model's come first: only so many are searched for.
        return await self._engine.process(replace(request, inputs={**inputs, "queries": [*more, *asked]}))
