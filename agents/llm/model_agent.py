"""Base of the agents with a model: sends calls, requests repairs of unusable answers, and reports their problems."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ...core.errors import AgentFailure, MalformedLlmOutput, SchemaValidationError
from ...utils.error_formatter import summarize_errors
from ..contract.lifecycle import Agent, AgentContract
from ..contract.protocol import AgentRequest, AgentResponse, JsonObject, refusal, success_response
from ..guardrails.problems import problem
from ..model.chat import ModelAnswer, ModelCall, ModelChat
from .briefing import briefed, briefing_of
from .prompt import Prompt, data, load_prompt

_EXCERPT = 400
_BESIDE = 160
_LONGEST_PROBLEM = 500
_PROBLEMS = 4000
_ELEMENT = re.compile(r"\$\.\w+\[\d+\]")
_ASKED: ContextVar[list[str] | None] = ContextVar("testwright_prompts_asked", default=None)


class UnusableAnswer(AgentFailure):
    """A model's answer cannot be used; `problems` list why, in the form of validation errors."""

    def __init__(self, message: str, problems: Iterable[JsonObject]) -> None:
        super().__init__(message)
        self.problems = list(problems)


class ModelAgent(Agent):
    """Base of the agents with a model. Each call has a fresh message list; there is no history.

    A subclass implements `_answer`.

    Args:
        chat: answers calls.
        engine: the embedded agent that this one builds on; started and shut down with it.
        contract: the schemas to check.

    Attributes:
        role: names the agent and its prompt.
        repairs: how often an answer in the wrong form is returned to the model within one request; 0 where the graph
            refines the answer.
    """

    repairs: ClassVar[int] = 1

    def __init__(self, chat: ModelChat, *, engine: Agent | None = None, contract: AgentContract | None = None) -> None:
        super().__init__(contract=contract)
        self._chat = chat
        self._prompt = load_prompt(self.role)
        self._engine = engine

    async def _start(self) -> None:
        if self._engine is not None:
            await self._engine.start()

    async def _shutdown(self) -> None:
        if self._engine is not None:
            await self._engine.shutdown()

    @abstractmethod
    async def _answer(self, request: AgentRequest) -> AgentResponse | JsonObject:
        """Do the task, as `Agent._work`; UnusableAnswer leads to a refinement with the errors that are still open."""

    async def _work(self, request: AgentRequest) -> AgentResponse | JsonObject:
        if (request.constraints or {}).get("without_model"):
            return await self._embedded(request)
        try:
            return await self._answer(request)
        except UnusableAnswer as error:
            open_errors = request.consumer_inputs().get("errors") or ()
            problems = [*error.problems, *({**row} for row in open_errors if row not in error.problems)]
            return refusal(error.message, error="UnusableAnswer", answer_errors=problems)

    async def _embedded(self, request: AgentRequest) -> AgentResponse | JsonObject:
        """Do the task as the embedded agent of the role. Raises AgentFailure where there is none here."""
        if self._engine is None:
            raise AgentFailure(f"there is no embedded {self.role} agent here")
        return await self._engine.process(request)

    async def _embedded_response(self, request: AgentRequest) -> AgentResponse:
        """As `_embedded`, as a response."""
        found = await self._embedded(request)
        return found if isinstance(found, AgentResponse) else success_response(found)

    async def _ask_model(
        self,
        user: str,
        schema: JsonObject,
        attempt: int = 1,
        *,
        rejected: RejectedAnswer | None = None,
        mends: Sequence[Mapping[str, Any]] = (),
        prompt: Prompt | None = None,
        may_lack: tuple[str, ...] = (),
        each_alone: tuple[str, ...] = (),
    ) -> ModelAnswer:
        """Send a message and return the model's answer in the requested form.

        Args:
            user: the message.
            rejected: an earlier answer to it that could not be used.
            mends: the errors that the message is about, for the audit log.
            prompt: the prompt of the message; None for the role's own.
            may_lack: lists of the answer that may be missing where they are empty.
            each_alone: lists of the answer whose elements stand alone: one that breaks the form is left out.

        Raises:
            UnusableAnswer: the answer is not in that form, repairs included. ModelFailure, BudgetExhausted.
        """
        for repair in range(self.repairs + 1):
            reason = summarize_errors(rejected.problems if rejected is not None else mends) or "first"
            call = replace(
                self._call(prompt or self._prompt, user, schema, attempt, rejected),
                reason=reason,
                may_lack=may_lack,
                each_alone=each_alone,
            )
            versions = _ASKED.get()
            if versions is not None:
                versions.append(call.prompt_version)
            try:
                return await self._chat.complete(call)
            except (MalformedLlmOutput, SchemaValidationError) as error:
                problems = problems_of(error)
                if repair == self.repairs:
                    raise UnusableAnswer(error.message, problems) from error
                rejected = RejectedAnswer(problems, str(error.details.get("excerpt") or ""))
        raise AssertionError("unreachable: the last repair returns or raises")

    async def _valid_answer(
        self, user: str, schema: JsonObject, find_problems: Callable[[Any], list[JsonObject]]
    ) -> Any:
        """Ask, and once more with all problems when the answer is wrong in substance; the caller handles what is left.

        Args:
            user: the first user message.
            find_problems: lists what is wrong with an answer that has the requested form.

        Raises:
            UnusableAnswer: an answer is not in the requested form, repairs included. ModelFailure, BudgetExhausted.
        """
        answer = await self._ask_model(user, schema)
        problems = find_problems(answer.parsed)
        if problems and self.repairs:
            answer = await self._ask_model(user, schema, attempt=2, rejected=RejectedAnswer(problems, answer.text))
        return answer.parsed

    def _call(
        self, prompt: Prompt, user: str, schema: JsonObject, attempt: int, rejected: RejectedAnswer | None
    ) -> ModelCall:
        """Build a call; its version names the prompt and, after a `+`, the prompt around a rejected answer."""
        version = prompt.version
        return ModelCall(
            role=self.name,
            system=prompt.system,
            user=briefed(user if rejected is None else rejected.message(user)),
            schema=schema,
            schema_name=f"{self.name}_answer",
            attempt=attempt,
            prompt_version=version if rejected is None else f"{version}+{load_prompt('repair').version}",
        )

    async def process(self, request: AgentRequest) -> AgentResponse:
        """See `AgentProtocol.process`; every response names the version of the prompt that was sent last."""
        with _noting_prompts() as versions, briefing_of(request, self.role):
            response = await super().process(request)
        if versions:
            response.metadata["prompt_version"] = versions[-1]
        return response


@contextmanager
def _noting_prompts() -> Iterator[list[str]]:
    """Collect the versions of the prompts that are sent during one request, in order."""
    versions: list[str] = []
    token = _ASKED.set(versions)
    try:
        yield versions
    finally:
        _ASKED.reset(token)


@dataclass(frozen=True, slots=True)
class RejectedAnswer:
    """An answer that could not be used.

    Attributes:
        problems: everything that is wrong with it, in the form of validation errors.
        answer: its text; the model is shown the beginning.
    """

    problems: Sequence[Mapping[str, Any]]
    answer: str

    def message(self, user: str) -> str:
        """Render the repair message: the original message, the problems and the rejected answer."""
        values = {
            "user": user,
            "errors": data("errors", feedback(self.problems)),
            "excerpt": data("answer", self.answer[:_EXCERPT]),
        }
        return load_prompt("repair").text("repair", values)


def feedback(problems: Sequence[Mapping[str, Any]]) -> str:
    """Render the problems, one line each, with excerpt and suggestion; those beyond the limit are counted."""
    lines: list[str] = []
    for row in problems:
        there = f" (there: {str(row['excerpt'])[:_BESIDE]})" if row.get("excerpt") else ""
        fix = f"; fix: {row['suggestion']}" if row.get("suggestion") else ""
        line = f"- {row.get('path', '$')}: {row.get('message', '')}{there}{fix}"[:_LONGEST_PROBLEM]
        if sum(map(len, lines)) + len(line) > _PROBLEMS:
            return "\n".join([*lines, f"- and {len(problems) - len(lines)} more"])
        lines.append(line)
    return "\n".join(lines)


def problems_of(error: AgentFailure) -> list[JsonObject]:
    """List why an answer is not in the requested form, one problem a violation, the excerpt with the first."""
    found = error.details.get("errors")
    excerpt = str(error.details.get("excerpt") or "")[:_EXCERPT]
    if isinstance(found, list) and found:
        problems = [
            problem(str(violation.get("path", "$")), str(violation.get("message", "")), **_beside(violation))
            for violation in found
        ]
    else:
        problems = [problem("$", error.message, suggestion="answer with one JSON value in the asked form")]
    if excerpt and not problems[0].get("excerpt"):
        problems[0]["excerpt"] = excerpt
    return problems


def left_out_notes(answer: ModelAnswer) -> list[str]:
    """Say which elements of an answer were left out because they break its form, one line each."""
    first: dict[str, str] = {}
    for violation in answer.left_out:
        path = str(violation.get("path") or "$")
        place = _ELEMENT.match(path)
        first.setdefault(place[0] if place else path, f"{path} {violation.get('message')}"[:_LONGEST_PROBLEM])
    return [f"a part of the model's answer is left out: {line}" for line in first.values()]


def _beside(violation: Mapping[str, Any]) -> JsonObject:
    return {key: str(violation[key]) for key in ("suggestion", "rule", "excerpt") if violation.get(key)}


def text_of(limit: int, pattern: str | None = None) -> JsonObject:
    """Schema of a text; a limit keeps small models from rambling."""
    return {"type": "string", "maxLength": limit, **({"pattern": pattern} if pattern else {})}


def closed(**properties: JsonObject) -> JsonObject:
    """Schema of an object with exactly these properties, as strict structured output requires."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }


def list_of(items: JsonObject, limit: int) -> JsonObject:
    """Schema of a list."""
    return {"type": "array", "maxItems": limit, "items": items}


def optional(schema: JsonObject) -> JsonObject:
    """Schema of a value that may be null."""
    return {"anyOf": [schema, {"type": "null"}]}
