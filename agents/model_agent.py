"""What the model-backed agents share: asking, repairing an answer that cannot be read (P-01), saying why it cannot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..errors import AgentFailure, MalformedLlmOutput, SchemaValidationError
from .lifecycle import Agent, AgentContract
from .model.chat import ModelAnswer, ModelCall, ModelChat
from .prompt import data, load_prompt
from .protocol import AgentResponse, ErrorType, JsonObject, error_response

_EXCERPT = 600


class UnusableAnswer(AgentFailure):
    """What a model answered cannot be used; `problems` say why, in the form of validation errors."""

    def __init__(self, message: str, problems: Iterable[JsonObject]) -> None:
        super().__init__(message)
        self.problems = list(problems)


class ModelAgent(Agent):
    """Base of the agents that ask a model. Each call is a fresh message list; nothing is remembered (A-06).

    Args:
        role: planner, spec, writer or analyzer.
        chat: answers calls.
        repairs: how often an answer that is not in the asked form is given back within one request (P-01).
        contract: the schemas the agent is held to.
    """

    def __init__(self, role: str, chat: ModelChat, *, repairs: int = 0, contract: AgentContract | None = None) -> None:
        super().__init__(role, contract=contract)
        self._chat = chat
        self._repairs = repairs
        self._prompt = load_prompt(role)

    async def _asked(self, user: str, schema: JsonObject, attempt: int = 1) -> ModelAnswer:
        """The model's answer in the asked form.

        Raises:
            UnusableAnswer: it is not in that form, repairs included. ModelFailure, BudgetExhausted: as the chat.
        """
        call = ModelCall(
            role=self.name,
            system=self._prompt.system,
            user=user,
            schema=schema,
            schema_name=f"{self.name}_answer",
            attempt=attempt,
            prompt_version=self._prompt.version,
        )
        for repair in range(self._repairs + 1):
            try:
                return await self._chat.complete(call)
            except (MalformedLlmOutput, SchemaValidationError) as error:
                problems = problems_of(error)
                if repair == self._repairs:
                    raise UnusableAnswer(error.message, problems) from error
                call = replace(call, user=repaired(user, problems, str(error.details.get("excerpt") or "")))
        raise AssertionError("unreachable: the last repair returns or raises")

    def _metadata(self, **more: Any) -> JsonObject:
        return {"prompt_version": self._prompt.version, **more}

    def _unusable(self, error: UnusableAnswer, asked: Iterable[Mapping[str, Any]] = ()) -> AgentResponse:
        """The response that makes a refinement of an answer nobody can use; `asked` are errors that still stand."""
        problems = [*error.problems, *({**one} for one in asked if one not in error.problems)]
        return error_response(
            ErrorType.VALIDATION,
            error.message,
            details={"error": "UnusableAnswer", "answer_errors": problems},
            metadata=self._metadata(),
        )


def repaired(user: str, problems: Iterable[Mapping[str, Any]], excerpt: str) -> str:
    """A message asked once more, with everything that was wrong and the beginning of the answer."""
    values = {
        "user": user,
        "errors": data("errors", feedback(problems)),
        "excerpt": data("answer", excerpt[:_EXCERPT]),
    }
    return load_prompt("repair").text("repair", values)


def feedback(problems: Iterable[Mapping[str, Any]]) -> str:
    """All problems, one line each, with the offending excerpt and what to do."""
    lines: list[str] = []
    for one in problems:
        there = f" (there: {one['excerpt']})" if one.get("excerpt") else ""
        fix = f"; fix: {one['suggestion']}" if one.get("suggestion") else ""
        lines.append(f"- {one.get('path', '$')}: {one.get('message', '')}{there}{fix}")
    return "\n".join(lines)


def problems_of(error: AgentFailure) -> list[JsonObject]:
    """Why an answer is not in the asked form, one problem for each violation, the offending excerpt with the first."""
    found = error.details.get("errors")
    excerpt = str(error.details.get("excerpt") or "")[:_EXCERPT]
    if isinstance(found, list) and found:
        problems = [problem(str(one.get("path", "$")), str(one.get("message", "")), **_beside(one)) for one in found]
    else:
        problems = [problem("$", error.message, suggestion="answer with one JSON value in the asked form")]
    if excerpt and not problems[0].get("excerpt"):
        problems[0]["excerpt"] = excerpt
    return problems


def problem(path: str, message: str, *, suggestion: str = "", kind: str = "structure", **more: Any) -> JsonObject:
    """One error in the form that validations of specs and of code both have."""
    return {
        "path": path,
        "message": message,
        "severity": "error",
        "suggestion": suggestion,
        "type": kind,
        "line": 0,
        **more,
    }


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
