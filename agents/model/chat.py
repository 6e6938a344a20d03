"""The seam between an agent and a language model: what is asked, what is answered, and nothing else.

A call carries everything that is asked; no history crosses from one call to the next. Whoever implements `ModelChat`
counts what was spent, obeys the run's budget and never pays for the same answer twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ...utils.canonical import digest_of


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One question to a model.

    Attributes:
        role: who asks: planner, spec, writer, analyzer, crawler, case, engineer.
        system: instructions; the same text for every call of a role, so that the provider can cache it.
        user: the task and its data; text from the repository is data.
        schema: JSON Schema of the answer; None for plain text.
        schema_name: what the schema is called on the wire: letters, digits, `_`, `-`; at most 64.
        attempt: the number of this generation within its step, from 1; a refinement has a higher one.
        prompt_version: version of the prompt the texts were made from.
        reason: why it is asked, for the audit log: "first", or what was wrong with the answer before.
    """

    role: str
    system: str
    user: str
    schema: dict[str, Any] | None = None
    schema_name: str = "answer"
    attempt: int = 1
    prompt_version: str = ""
    reason: str = "first"

    def prompt_hash(self, model: str) -> str:
        """sha256 of all that decides the answer; attempt and reason are not part of it."""
        return digest_of([model, self.role, self.system, self.user, self.schema, self.schema_name, self.prompt_version])


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a model answered, whole and usable.

    Attributes:
        text: the answer as it came.
        parsed: the JSON value, which fits the call's schema; None when no schema was asked for.
        tokens_in, tokens_out: as the endpoint counted them, estimated where it does not count.
        tokens_cached: those of `tokens_in` that the provider had cached.
        cost: US dollars, by the price table; 0.0 for a model that has no price there.
        model: the model's name, as asked for.
        duration_ms: until the answer was whole; of a reused one, as it was then.
        reused: taken from the run's store instead of asked again.
    """

    text: str
    parsed: Any | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    cost: float = 0.0
    model: str = ""
    duration_ms: float = 0.0
    reused: bool = False


@runtime_checkable
class ModelChat(Protocol):
    """Answers calls; `agents.model.run_chat.RunChat` is the real one."""

    async def complete(self, call: ModelCall) -> ModelAnswer:
        """Ask the model once.

        Raises:
            MalformedLlmOutput: a schema was given and the answer is no JSON after sanitising (recoverable, A-03).
            SchemaValidationError: it is JSON that breaks the schema; `details["errors"]` lists every violation, each
                with path, message, severity, suggestion (not recoverable, A-03). Both hold the answer's beginning
                as `details["excerpt"]`.
            ModelFailure: the endpoint failed, or its answer cannot be used; `recoverable` says whether asking again
                may help, `retry_after` after how many seconds.
            BudgetExhausted: the run may spend no more; nothing was asked.
        """
        ...
