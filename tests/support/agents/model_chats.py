"""Chats against a scripted endpoint, with answers kept in memory or in a real store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from testwright.agents.model.abilities import CapabilityFile
from testwright.agents.model.chat import ModelCall
from testwright.agents.model.endpoint import Endpoint, EndpointSettings
from testwright.agents.model.prices import Price, Prices
from testwright.agents.model.run_chat import RunChat
from testwright.core.usage import ModelBudget
from testwright.store.files.audit import AuditEntry
from testwright.tests.support.agents.scripted_openai import ScriptedOpenAI

PRICES = Prices({"scripted": Price(1.0, 0.5, 10.0)}, base_url="")
STEPS = {
    "type": "object",
    "additionalProperties": False,
    "required": ["steps"],
    "properties": {"steps": {"type": "array", "items": {"type": "string", "maxLength": 20}}},
}


class KeptInMemory:
    """A run's answers, kept for a test."""

    def __init__(self) -> None:
        self.answers: dict[tuple[str, int, str], Any] = {}

    def get(self, role: str, attempt: int, prompt_hash: str) -> Any:
        return self.answers.get((role, attempt, prompt_hash))

    def put(self, role: str, attempt: int, prompt_hash: str, answer: Any) -> None:
        self.answers[role, attempt, prompt_hash] = answer


def call(user: str = "plan it", *, schema: dict[str, Any] | None = STEPS, **more: Any) -> ModelCall:
    """A planner's call."""
    fields: dict[str, Any] = {"role": "planner", "system": "You plan.", "user": user, "schema": schema, **more}
    return ModelCall(**fields)


@asynccontextmanager
async def chatting(
    server: ScriptedOpenAI,
    *,
    key: str = "k-secret-of-the-test",
    abilities: Path | None = None,
    kept: KeptInMemory | None = None,
    budget: ModelBudget | None = None,
    audit: list[AuditEntry] | Callable[[AuditEntry], None] | None = None,
    **settings: Any,
) -> AsyncIterator[RunChat]:
    """A chat with the model `scripted` at the server."""
    given: dict[str, Any] = {"model": "scripted", "base_url": server.base_url, "timeout": 20.0, **settings}
    endpoint = Endpoint(EndpointSettings(**given), key)
    lines: list[AuditEntry] = []
    told = audit if callable(audit) else (lines if audit is None else audit).append
    try:
        yield RunChat(
            endpoint,
            abilities=CapabilityFile(abilities),
            prices=PRICES,
            budget=budget or ModelBudget(),
            kept=kept,
            audit=told,
        )
    finally:
        await endpoint.aclose()
