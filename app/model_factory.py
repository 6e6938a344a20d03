"""Opens the models that a run's roles ask: keys from the environment, answers into the store, one budget."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..agents.model.chat import ModelChat
from ..agents.model.prices import Prices, load_prices
from ..config.settings import ROLES, Settings
from ..core.errors import SettingsError
from ..core.usage import Ceilings, ModelBudget, ModelUsage
from ..store.database.answers import ModelAnswers
from ..store.files.audit import AuditEntry


@dataclass(frozen=True, slots=True)
class ModelClients:
    """The models of a run.

    Attributes:
        by_role: whom a role asks; a role that is not here has an embedded agent.
        budget: what they spent.
        priced: names of the models whose price is known; what others cost is not.
    """

    by_role: Mapping[str, ModelChat]
    budget: ModelBudget
    priced: frozenset[str] = frozenset()


class RunAnswers:
    """A run's stored answers."""

    def __init__(self, answers: ModelAnswers, run_id: str) -> None:
        self._answers = answers
        self._run_id = run_id

    def get(self, role: str, attempt: int, prompt_hash: str) -> Any:
        """See `ModelAnswers.get`."""
        return self._answers.get(self._run_id, role, attempt, prompt_hash)

    def put(self, role: str, attempt: int, prompt_hash: str, answer: Any) -> None:
        """See `ModelAnswers.put`."""
        self._answers.put(self._run_id, role, attempt, prompt_hash, answer)

    def all(self) -> list[tuple[str, Any]]:
        """See `ModelAnswers.of_run`."""
        return self._answers.of_run(self._run_id)


@asynccontextmanager
async def open_model_clients(
    settings: Settings,
    environment: Mapping[str, str],
    *,
    cache: Path | None = None,
    kept: RunAnswers | None = None,
    seconds_before: float = 0.0,
    audit: Callable[[AuditEntry], None] = lambda attempt: None,
    given_out: set[str] | None = None,
    spent: Callable[[ModelUsage], None] = lambda spend: None,
    waiting: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> AsyncIterator[ModelClients]:
    """The chats of all roles that are set to a model, closed again at the end.

    Args:
        environment: where keys are.
        cache: the folder that remembers what endpoints can do; None remembers nothing.
        kept: the run's answers; what is there was paid for by the run.
        seconds_before: wall seconds of the run's sessions before a resume.
        given_out: keys of stored answers that this session has used already, in other processes; grows.
        spent: is told of what each call that is made now cost.
        waiting: is entered for as long as an endpoint is waited for.

    Raises:
        SettingsError: there is no key for OpenAI, no readable price table, or no price under a ceiling on cost.
    """
    began = time.monotonic()
    ceilings = Ceilings(settings.max_tokens, settings.max_cost, settings.max_seconds)

    def seconds_used() -> float:
        return seconds_before + time.monotonic() - began

    if not settings.models.names:
        yield ModelClients({}, ModelBudget(ceilings, seconds_used))
        return
    # The clients of models take a second to load; who has none configured need not wait for them.
    from ..agents.model.abilities import CapabilityFile
    from ..agents.model.endpoint import Endpoint, EndpointSettings, base_url_of, key_for
    from ..agents.model.run_chat import RunChat, spend_of_stored

    base_url = base_url_of(settings.base_url, environment)
    prices = load_prices(settings.prices, base_url)
    _require_prices(settings, prices)
    before = [spend_of_stored(role, answer, prices) for role, answer in kept.all()] if kept is not None else []
    budget = ModelBudget(ceilings, seconds_used, before=before, on_usage=spent)
    abilities = CapabilityFile(cache / "endpoints.json" if cache is not None else None)
    key = key_for(base_url, environment)
    async with AsyncExitStack() as opened:
        chats: dict[str, RunChat] = {}
        for name in settings.models.names:
            endpoint = Endpoint(
                EndpointSettings(name, base_url, settings.model_timeout, settings.answer_tokens, settings.stream), key
            )
            opened.push_async_callback(endpoint.aclose)
            chats[name] = RunChat(
                endpoint,
                abilities=abilities,
                prices=prices,
                budget=budget,
                kept=kept,
                audit=audit,
                given_out=given_out,
                waiting=waiting,
            )
        asked = {role: settings.models.of(role) for role in ROLES}
        priced = frozenset(name for name in settings.models.names if prices.of(name) is not None)
        yield ModelClients({role: chats[name] for role, name in asked.items() if name is not None}, budget, priced)


def _require_prices(settings: Settings, prices: Prices) -> None:
    """A ceiling on cost means nothing where a cost is not known."""
    unknown = [name for name in settings.models.names if prices.of(name) is None]
    if settings.max_cost is not None and unknown:
        raise SettingsError(
            f"--max-cost needs a price for {', '.join(unknown)}.", advice="Give one with --prices, or use --max-tokens."
        )
