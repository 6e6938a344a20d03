"""A chat that answers from a list, and agents around it, for tests of what an agent asks and makes of the answer."""

from __future__ import annotations

import json
from typing import Any

from testwright.agents.contract.lifecycle import Agent
from testwright.agents.contract.protocol import AgentRequest, AgentResponse, JsonObject, RequestMetadata
from testwright.agents.model.chat import ModelAnswer, ModelCall
from testwright.core.errors import MalformedLlmOutput


class FakeChat:
    """Answers calls in order; a text that is no JSON is malformed, an exception is raised."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.calls: list[ModelCall] = []

    async def complete(self, call: ModelCall) -> ModelAnswer:
        """See `ModelChat.complete`."""
        self.calls.append(call)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, str):
            raise MalformedLlmOutput("the answer is not JSON", details={"excerpt": answer})
        return ModelAnswer(json.dumps(answer), answer, model="fake")


class Engine(Agent):
    """An embedded spec agent that says what it was made with."""

    role = "spec"

    def __init__(self, spec: JsonObject) -> None:
        super().__init__()
        self.spec = spec

    async def _work(self, request: AgentRequest) -> JsonObject:
        return {"spec": self.spec}


async def asked(agent: Agent, inputs: JsonObject) -> AgentResponse:
    """An agent's answer to one request."""
    request = AgentRequest("test it", "work", RequestMetadata("run-1"), inputs)
    async with agent:
        return await agent.process(request)
