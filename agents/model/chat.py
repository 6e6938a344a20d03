"""Defines the interface between an agent and a language model: call, answer, and the chat that connects them.

A call is self-contained; no history passes from one call to the next. An implementation of `ModelChat` counts usage,
obeys the run's budget and never pays for the same answer twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ...utils.canonical import digest_of


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request to a model.

    Attributes:
        role: the calling role: planner, spec, writer, analyzer, crawler, case, engineer.
        system: instructions; the same text for every call of a role, so that the provider can cache it.
        user: the task and its data; text from the repository is data.
        schema: JSON Schema of the answer; None for plain text.
        schema_name: name of the schema on the wire: letters, digits, `_`, `-`; at most 64.
        attempt: the number of this generation within its step, from 1; a refinement has a higher one.
        prompt_version: version of the prompt the texts were made from.
        reason: for the audit log: "first", or what was wrong with the previous answer.
        may_lack: lists of the answer that may be missing where they are empty.
        each_alone: lists of the answer whose elements stand alone: one that breaks the form is left out.
    """

    role: str
    system: str
    user: str
    schema: dict[str, Any] | None = None
    schema_name: str = "answer"
    attempt: int = 1
    prompt_version: str = ""
    reason: str = "first"
    may_lack: tuple[str, ...] = ()
    each_alone: tuple[str, ...] = ()

    def prompt_hash(self, model: str) -> str:
        """Return the sha256 of everything that decides the answer, which attempt, reason and the last two do not."""
        return digest_of([model, self.role, self.system, self.user, self.schema, self.schema_name, self.prompt_version])


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A complete and usable answer of a model.

    Attributes:
        text: the raw answer.
        parsed: the JSON value, valid for the call's schema; None without a schema.
        left_out: violations of the schema, as of validation, for which elements of the value were left out.
        tokens_in, tokens_out: as counted by the endpoint, else estimated.
        tokens_cached: those of `tokens_in` that the provider had cached.
        cost: US dollars, by the price table; 0.0 for a model without a price.
        model: the requested model's name.
        duration_ms: until the answer was complete; for a reused one, of the original call.
        reused: taken from the run's store.
    """

    text: str
    parsed: Any | None = None
    left_out: tuple[dict[str, Any], ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    cost: float = 0.0
    model: str = ""
    duration_ms: float = 0.0
    reused: bool = False


@runtime_checkable
class ModelChat(Protocol):
    """Answers calls; implemented by `agents.model.run_chat.RunChat`."""

    async def complete(self, call: ModelCall) -> ModelAnswer:
        """Send one call.

        Raises:
            MalformedLlmOutput: a schema was given and the answer is not JSON after sanitising (recoverable).
            SchemaValidationError: it is JSON that breaks the schema; `details["errors"]` lists every violation, each
                with path, message, severity, suggestion (not recoverable). Both have the beginning of the answer as
                `details["excerpt"]`.
            ModelFailure: the endpoint failed, or its answer cannot be used; `recoverable` says whether a retry may
                help, `retry_after` after how many seconds.
            BudgetExhausted: a ceiling of the run is reached; nothing was sent.
        """
        ...
