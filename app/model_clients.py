"""Opens the model clients of roles, with keys from the environment, answers in the store and one shared budget."""

from __future__ import annotations

import asyncio
import threading
import time
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from ..agents.contract.function_agent import Metering
from ..agents.contract.lifecycle import AgentRetryPolicy
from ..agents.model.chat import ModelChat
from ..agents.model.prices import Prices, load_prices
from ..config.models import PROVIDER, ROLES
from ..config.settings import Settings
from ..config.variables import filled_in
from ..core.errors import SettingsError
from ..core.usage import Ceilings, ModelBudget, ModelUsage
from ..store.cache.cooldown import Cooldown
from ..store.cache.request_rate import RequestRate
from ..store.cache.valkey_responses import reached_server
from ..store.database.answers import ModelAnswers
from ..store.files.audit import AuditEntry

_STATED = "stated"
"""Key of a stored row that is no answer of a model, but what an agent of the user's own used."""
_SHORT_END, _SHORT_END_SECONDS, _LONG_END = 0.2, 12.0, 0.1
"""The part of a ceiling on time that is kept for the run's end: a fifth, at most 12 s, and of long runs a tenth."""


@dataclass(frozen=True, slots=True)
class ModelClients:
    """The model clients of a run.

    Attributes:
        by_role: the client of each role; a role without one has an embedded agent.
        budget: counts what all of them used.
        priced: names of the models whose price is known.
        embeddings_cost: dollars of so many tokens sent to the embeddings model.
        recount: counts what other processes that work on the run have paid for as well.
        metering: for agents that ask models of their own: what they say that they used is stored like an answer, so
            that a resumed run counts it.
    """

    by_role: Mapping[str, ModelChat]
    budget: ModelBudget
    priced: frozenset[str] = frozenset()
    embeddings_cost: Callable[[int], float] = lambda tokens: 0.0
    recount: Callable[[], None] = lambda: None
    metering: Metering = field(default_factory=Metering)


class RunAnswers:
    """The answers of models that are stored for one run."""

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

    def keep_usage(self, usage: ModelUsage) -> None:
        """Store what a request used whose answer is of no use later, for the budget of a resumed run."""
        number = sum(role == usage.role for role, _ in self.all()) + 1
        received = {"text": "", "length": 0, "tool_calls": [], "tokens_in": usage.tokens_in, "estimated": True}
        self.put(usage.role, number, "", {"model": usage.model, "received": received})

    def keep_stated(self, usage: ModelUsage) -> None:
        """Store what an agent of the user's own says that it used."""
        self.put(usage.role, 0, uuid.uuid4().hex, {_STATED: asdict(usage)})


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
    warn: Callable[[str], None] = lambda message: None,
) -> AsyncIterator[ModelClients]:
    """Open a client for each role that is set to a model; they are closed when the block ends.

    Args:
        environment: where keys are.
        cache: the folder that caches the abilities of endpoints; None caches nothing.
        kept: the run's stored answers, which are not paid for again.
        seconds_before: wall seconds of the run's sessions before a resume.
        given_out: keys of stored answers that this session has used already, in other processes; grows.
        spent: called with the usage of each call.
        waiting: makes a context manager that is held while waiting for an endpoint (idle-time accounting).
        warn: told when limits cannot be shared with other processes.

    Raises:
        SettingsError: there is no key for OpenAI, no readable price table, or no price under a ceiling on cost.
    """
    if not settings.models.names:
        budget = _new_budget(settings, seconds_before, before=_stated(kept), on_usage=spent)
        yield ModelClients({}, budget, recount=lambda: budget.recount(_stated(kept)), metering=_metering(budget, kept))
        return
    # Importing the client library takes a second; runs without models skip it.
    from ..agents.model.abilities import CapabilityFile
    from ..agents.model.endpoint import Endpoint, EndpointSettings, base_url_of, key_for
    from ..agents.model.run_chat import RunChat, spend_of_stored

    base_url = base_url_of(settings.base_url, environment)
    prices = _load_prices(settings, base_url)
    stored = partial(_used, kept, lambda role, row: spend_of_stored(role, row, prices))
    budget = _new_budget(settings, seconds_before, before=stored(), on_usage=spent)
    abilities = CapabilityFile(cache / "endpoints.json" if cache is not None else None)
    key = key_for(base_url, environment)
    # One client for each model, not for each role: roles with the same model share connections and abilities.
    async with AsyncExitStack() as opened:
        pacing = await _pacing(opened, settings, base_url, environment, warn)
        within_run = partial(RunChat, prices=prices, budget=budget, kept=kept, audit=audit, given_out=given_out)
        make = partial(within_run, abilities=abilities, waiting=waiting)
        chats: dict[str, ModelChat] = {}
        for name in settings.models.names:
            limits = (settings.model_timeout, settings.answer_tokens, settings.stream)
            endpoint = Endpoint(EndpointSettings(name, base_url, *limits), key)
            opened.push_async_callback(endpoint.aclose)
            chats[name] = make(endpoint, pacing=pacing(name))
        yield replace(
            _with_prices(settings, chats, prices, budget),
            recount=lambda: budget.recount(stored()),
            metering=_metering(budget, kept),
        )


def _with_prices(
    settings: Settings, chats: Mapping[str, ModelChat], prices: Prices, budget: ModelBudget
) -> ModelClients:
    """The clients by role, of those by the names of models, and what has a price."""
    by_role = {role: chats[name] for role in ROLES if (name := settings.models.of(role)) is not None}
    priced = frozenset(name for name in _models_asked(settings) if prices.of(name) is not None)
    return ModelClients(by_role, budget, priced, _embeddings_cost(settings, prices))


def _used(kept: RunAnswers | None, of_answer: Callable[[str, Any], ModelUsage]) -> list[ModelUsage]:
    """The usage of everything that is stored; `of_answer` reads that of a role's model in its answer."""
    return [_stated_in(row) or of_answer(role, row) for role, row in _rows(kept)]


def _stated(kept: RunAnswers | None) -> list[ModelUsage]:
    """What agents of the user's own have said that they used, in earlier sessions and other processes."""
    return [usage for _, row in _rows(kept) if (usage := _stated_in(row)) is not None]


def _stated_in(row: Any) -> ModelUsage | None:
    """What an agent of the user's own has said in a stored row; None of an answer of a model."""
    return ModelUsage(**row[_STATED]) if _STATED in row else None


def _rows(kept: RunAnswers | None) -> list[tuple[str, Any]]:
    return kept.all() if kept is not None else []


def _metering(budget: ModelBudget, kept: RunAnswers | None) -> Metering:
    def add(usage: ModelUsage) -> None:
        # Counted first: what a recount in another thread finds stored must be counted already.
        budget.add(usage)
        if kept is not None:
            kept.keep_stated(usage)

    return Metering(budget.require, add)


async def _pacing(
    opened: AsyncExitStack,
    settings: Settings,
    base_url: str,
    environment: Mapping[str, str],
    warn: Callable[[str], None],
) -> Callable[[str], Cooldown]:
    """When requests to a model of the endpoint may be sent, by its name; shared by who uses the same cache server.

    Args:
        opened: closes the connections to the cache server with the clients.

    Raises:
        SettingsError: a variable of the cache's URL is missing, or its client library.
    """
    server = None
    if settings.cache_url is not None:
        url = filled_in(settings.cache_url, environment, "The URL of the cache")
        server = await asyncio.to_thread(reached_server, url, "Rate limits are not shared with other processes", warn)
        if server is not None:
            opened.callback(server.close)
    most = settings.requests_per_minute
    rate = RequestRate(most, base_url, server, warn=warn) if most is not None else None

    told, telling = set[str](), threading.Lock()

    def warn_once(message: str) -> None:  # of all models together, which ask in threads
        with telling:
            if message in told:
                return
            told.add(message)
        warn(message)

    def of(model: str) -> Cooldown:
        longest = AgentRetryPolicy().longest_wait
        return Cooldown(f"{base_url} {model}", server, longest=longest, rate=rate, warn=warn_once)

    return of


def _models_asked(settings: Settings) -> list[str]:
    """Names of all models that a run may pay for, that of embeddings among them where a model reads what it finds."""
    embeddings = settings.embeddings if settings.models.read_context else None
    return [*settings.models.names, *([embeddings.removeprefix(PROVIDER)] if embeddings else [])]


def _embeddings_cost(settings: Settings, prices: Prices) -> Callable[[int], float]:
    """What so many tokens of the embeddings' model cost; nothing where it has no price."""
    name = (settings.embeddings or "").removeprefix(PROVIDER)
    price = prices.of(name) if name else None
    return (lambda tokens: price.cost(tokens, 0, 0)) if price is not None else (lambda tokens: 0.0)


def ceilings_of(settings: Settings) -> Ceilings:
    """What a run may use; of its seconds some are kept back for its end, or it would go on beyond them."""
    seconds = settings.max_seconds or 0.0
    # A short run ends with few tests, which take as long to start as many; a long one with more tests.
    for_end = max(min(_SHORT_END * seconds, _SHORT_END_SECONDS), _LONG_END * seconds)
    return Ceilings(settings.max_tokens, settings.max_cost, settings.max_seconds, for_end)


def _new_budget(settings: Settings, seconds_before: float, **usage: Any) -> ModelBudget:
    """Create the budget of a session that starts now; `usage` as for `ModelBudget`."""
    began = time.monotonic()
    return ModelBudget(ceilings_of(settings), lambda: seconds_before + time.monotonic() - began, **usage)


def _load_prices(settings: Settings, base_url: str) -> Prices:
    """Load the prices of models. Raises SettingsError for a ceiling on cost when the price of a model is unknown."""
    prices = load_prices(settings.prices, base_url)
    unknown = [name for name in _models_asked(settings) if prices.of(name) is None]
    if settings.max_cost is not None and unknown:
        raise SettingsError(
            f"--max-cost needs a price for {', '.join(unknown)}.", advice="Give one with --prices, or use --max-tokens."
        )
    return prices
