"""What a run pays for besides answers of models: an embeddings model needs a price, and is known after a resume."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from testwright.agents.model.prices import Price, Prices
from testwright.agents.model.run_chat import spend_of_stored
from testwright.app.model_clients import RunAnswers, open_model_clients
from testwright.config.settings import load_settings
from testwright.core.errors import BudgetExhausted, SettingsError
from testwright.core.usage import ModelUsage
from testwright.tests.support.agents.model_chats import KeptInMemory

pytestmark = pytest.mark.feature("B-08")


class Stored(KeptInMemory):
    """The answers of all runs, kept for a test."""

    def put(self, run_id: str, *key: Any) -> None:  # pyrefly: ignore[bad-override]
        super().put(*key)

    def of_run(self, run_id: str) -> list[tuple[str, Any]]:
        return [(role, answer) for (role, _, _), answer in self.answers.items()]


def test_what_embeddings_used_is_stored_request_by_request_for_the_budget_of_a_resumed_run() -> None:
    answers = RunAnswers(Stored(), "run")  # pyrefly: ignore[bad-argument-type]
    for tokens in (40, 40, 7):
        answers.keep_usage(ModelUsage("embeddings", "small", 1, tokens, cost=1.0))
    prices = Prices({"small": Price(1_000_000, 1_000_000, 0)}, "")
    again = [spend_of_stored(role, answer, prices) for role, answer in answers.all()]
    assert [(one.role, one.model, one.calls, one.tokens, one.cost) for one in again] == [
        ("embeddings", "small", 1, 40, 40.0),
        ("embeddings", "small", 1, 40, 40.0),
        ("embeddings", "small", 1, 7, 7.0),
    ]


@pytest.mark.parametrize("models", [{}, {"spec": "openai:scripted"}], ids=["no model", "a model"])
async def test_what_an_agent_of_the_users_own_used_counts_in_a_resumed_run(
    tmp_path: Path, models: dict[str, str]
) -> None:
    settings = load_settings(
        {"root": tmp_path, "base_url": "http://127.0.0.1:9/v1", "models": models, "max_tokens": 50}
    )
    answers, key = RunAnswers(Stored(), "run"), {"TESTWRIGHT_API_KEY": "k"}  # pyrefly: ignore[bad-argument-type]
    async with open_model_clients(settings, key, kept=answers) as clients:
        clients.metering.require()
        for _ in range(2):
            clients.metering.add(ModelUsage("goal", "mine", 1, 30, cost=0.25))
    async with open_model_clients(settings, key, kept=answers) as again:
        assert (again.budget.total.tokens, again.budget.total.cost, again.budget.total.calls) == (60, 0.5, 2)
        again.recount()
        assert again.budget.total.calls == 2
        with pytest.raises(BudgetExhausted):
            again.metering.require()


@pytest.mark.parametrize("models", [{}, {"spec": "openai:scripted"}], ids=["no model", "a model"])
async def test_usage_that_another_thread_finds_stored_counts_once(tmp_path: Path, models: dict[str, str]) -> None:
    class Watched(Stored):
        """Another thread counts anew just when something was stored; `reads` counts how often all of it is read."""

        reads = 0

        def put(self, run_id: str, *key: Any) -> None:
            super().put(run_id, *key)
            clients.recount()

        def of_run(self, run_id: str) -> list[tuple[str, Any]]:
            self.reads += 1
            return super().of_run(run_id)

    settings = load_settings({"root": tmp_path, "base_url": "http://127.0.0.1:9/v1", "models": models})
    stored = Watched()
    async with open_model_clients(
        settings,
        {"TESTWRIGHT_API_KEY": "k"},
        kept=RunAnswers(stored, "run"),  # pyrefly: ignore[bad-argument-type]
    ) as clients:
        stored.reads = 0
        clients.metering.add(ModelUsage("goal", "mine", 1, 30, cost=0.25))
        assert (clients.budget.total.tokens, clients.budget.total.calls) == (30, 1)
        assert stored.reads == 1


@pytest.mark.parametrize("reads", [True, False])
async def test_a_ceiling_on_cost_needs_the_price_of_embeddings_where_a_model_reads_them(
    tmp_path: Path, *, reads: bool
) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text('{"models": {"scripted": {"in": 1, "out": 1}}}')
    models = {"spec" if reads else "planner": "openai:scripted"}
    given = {"models": models, "embeddings": "openai:nobody-knows", "max_cost": 1, "prices": prices}
    settings = load_settings({"root": tmp_path, "base_url": "http://127.0.0.1:9/v1", **given})
    opened = open_model_clients(settings, {"TESTWRIGHT_API_KEY": "k"})
    if reads:
        with pytest.raises(SettingsError, match="nobody-knows"):
            await opened.__aenter__()
    else:
        async with opened as clients:
            assert "nobody-knows" not in clients.priced
