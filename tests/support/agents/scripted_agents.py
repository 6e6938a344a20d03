"""Agents that answer from a script (P-12): asked more often than written, or not often enough, the test fails.

A script error is a BaseException: the code under test turns every Exception of an agent into an answer, and a test must
not pass on that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from testwright.agents.contract.protocol import AgentRequest, AgentResponse, success_response

Answer = dict[str, Any] | AgentResponse | Exception | Callable[[AgentRequest], Any]


class ScriptError(BaseException):
    """The code under test and the script disagree about how often something is asked."""


class ScriptedAgent:
    """Gives its answers in order: a dict is a success, an exception is raised, a function gets the request."""

    def __init__(self, role: str, answers: Sequence[Answer]) -> None:
        self.role = role
        self._answers = list(answers)
        self.requests: list[AgentRequest] = []

    async def process(self, request: AgentRequest) -> AgentResponse:
        self.requests.append(request)
        if len(self.requests) > len(self._answers):
            raise ScriptError(f"{self.role} was asked {len(self.requests)} times, has {len(self._answers)} answers")
        answer = self._answers[len(self.requests) - 1]
        if callable(answer):
            answer = answer(request)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, AgentResponse):
            return answer
        return success_response(answer, trace=[{"event": "scripted", "trace_id": request.metadata.trace_id}])

    def finish(self) -> None:
        """Raise when an answer was never asked for."""
        if len(self.requests) < len(self._answers):
            raise ScriptError(f"{self.role} was asked {len(self.requests)} times, has {len(self._answers)} answers")


@contextmanager
def scripted(**answers: Sequence[Answer]) -> Iterator[dict[str, ScriptedAgent]]:
    """Agents by role; leaving the block checks that every script is used up."""
    agents = {role: ScriptedAgent(role, script) for role, script in answers.items()}
    yield agents
    for agent in agents.values():
        agent.finish()
