"""What the model-backed agents share: asking, repairing an answer that cannot be read, saying why it cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from ...core.errors import AgentFailure, MalformedLlmOutput, SchemaValidationError
from ...utils.error_formatter import summarize_errors
from ..contract.lifecycle import Agent, AgentContract
from ..contract.protocol import AgentRequest, AgentResponse, ErrorType, JsonObject, error_response
from ..guardrails.problems import problem
from ..model.chat import ModelAnswer, ModelCall, ModelChat
from .prompt import Prompt, data, load_prompt

_EXCERPT = 400
_BESIDE = 160
_LONGEST_PROBLEM = 500
_PROBLEMS = 4000
_ASKED: ContextVar[list[str] | None] = ContextVar("testwright_prompts_asked", default=None)


class UnusableAnswer(AgentFailure):
    """What a model answered cannot be used; `problems` say why, in the form of validation errors."""

    def __init__(self, message: str, problems: Iterable[JsonObject]) -> None:
        super().__init__(message)
        self.problems = list(problems)


class ModelAgent(Agent):
    """Base of the agents that ask a model. Each call is a fresh message list; nothing is remembered.

    Args:
        role: planner, spec, writer or analyzer.
        chat: answers calls.
        repairs: how often an answer that is not in the asked form is given back within one request.
        contract: the schemas the agent is held to.
    """

    def __init__(self, role: str, chat: ModelChat, *, repairs: int = 0, contract: AgentContract | None = None) -> None:
        super().__init__(role, contract=contract)
        self._chat = chat
        self._repairs = repairs
        self._prompt = load_prompt(role)

    async def _asked(
        self,
        user: str,
        schema: JsonObject,
        attempt: int = 1,
        *,
        back: RejectedAnswer | None = None,
        mends: Sequence[Mapping[str, Any]] = (),
        prompt: Prompt | None = None,
    ) -> ModelAnswer:
        """The model's answer in the asked form.

        Args:
            user: the message.
            back: an earlier answer to it that could not be used.
            mends: the errors that the message is about, for the audit log.
            prompt: the message is from; None for the role's own.

        Raises:
            UnusableAnswer: it is not in that form, repairs included. ModelFailure, BudgetExhausted: as the chat.
        """
        for repair in range(self._repairs + 1):
            reason = summarize_errors(back.problems if back is not None else mends) or "first"
            call = replace(self._call(prompt or self._prompt, user, schema, attempt, back), reason=reason)
            _note_prompt(call.prompt_version)
            try:
                return await self._chat.complete(call)
            except (MalformedLlmOutput, SchemaValidationError) as error:
                problems = problems_of(error)
                if repair == self._repairs:
                    raise UnusableAnswer(error.message, problems) from error
                back = RejectedAnswer(problems, str(error.details.get("excerpt") or ""))
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
        answer = await self._asked(user, schema)
        problems = find_problems(answer.parsed)
        if problems and self._repairs:
            answer = await self._asked(user, schema, attempt=2, back=RejectedAnswer(problems, answer.text))
        return answer.parsed

    def _call(
        self, prompt: Prompt, user: str, schema: JsonObject, attempt: int, back: RejectedAnswer | None
    ) -> ModelCall:
        """A call; its version names the prompt, and behind a `+` that of the words around an answer given back."""
        version = prompt.version
        return ModelCall(
            role=self.name,
            system=prompt.system,
            user=user if back is None else back.message(user),
            schema=schema,
            schema_name=f"{self.name}_answer",
            attempt=attempt,
            prompt_version=version if back is None else f"{version}+{load_prompt('repair').version}",
        )

    async def process(self, request: AgentRequest) -> AgentResponse:
        """See `AgentProtocol.process`; every response names the version of the prompt that was sent last."""
        with _noting_prompts() as asked:
            response = await super().process(request)
        if asked:
            response.metadata["prompt_version"] = asked[-1]
        return response

    def _unusable(self, error: UnusableAnswer, asked: Iterable[Mapping[str, Any]] = ()) -> AgentResponse:
        """The response that makes a refinement of an answer nobody can use; `asked` are errors that still stand."""
        problems = [*error.problems, *({**one} for one in asked if one not in error.problems)]
        return error_response(
            ErrorType.VALIDATION,
            error.message,
            details={"error": "UnusableAnswer", "answer_errors": problems},
        )


@contextmanager
def _noting_prompts() -> Iterator[list[str]]:
    """Note the versions of the prompts that are asked with while one request is answered, in their order."""
    asked: list[str] = []
    token = _ASKED.set(asked)
    try:
        yield asked
    finally:
        _ASKED.reset(token)


def _note_prompt(version: str) -> None:
    asked = _ASKED.get()
    if asked is not None:
        asked.append(version)


@dataclass(frozen=True, slots=True)
class RejectedAnswer:
    """An answer that could not be used.

    Attributes:
        problems: everything that is wrong with it, in the form of validation errors.
        answer: its text; the beginning is shown.
    """

    problems: Sequence[Mapping[str, Any]]
    answer: str

    def message(self, user: str) -> str:
        """The message that it answered, asked once more."""
        values = {
            "user": user,
            "errors": data("errors", feedback(self.problems)),
            "excerpt": data("answer", self.answer[:_EXCERPT]),
        }
        return load_prompt("repair").text("repair", values)


def feedback(problems: Sequence[Mapping[str, Any]]) -> str:
    """All problems, one line each, with the offending excerpt and what to do; what is too much is counted."""
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
    """Why an answer is not in the asked form, one problem for each violation, the offending excerpt with the first."""
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


def _beside(one: Mapping[str, Any]) -> JsonObject:
    kept = {key: one[key] for key in ("suggestion", "rule", "excerpt") if one.get(key)}
    return {key: str(value) for key, value in kept.items()}


def text_of(limit: int, pattern: str | None = None) -> JsonObject:
    """The schema of a text; a limit keeps small models from rambling."""
    return {"type": "string", "maxLength": limit, **({"pattern": pattern} if pattern else {})}


def closed(**properties: JsonObject) -> JsonObject:
    """The schema of an object that has exactly these properties, as strict structured output wants it."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }


def list_of(items: JsonObject, limit: int) -> JsonObject:
    """The schema of a list."""
    return {"type": "array", "maxItems": limit, "items": items}


def optional(schema: JsonObject) -> JsonObject:
    """The schema of a value that may be null."""
    return {"anyOf": [schema, {"type": "null"}]}
