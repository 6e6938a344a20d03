"""Time that a service asks for holds the requests of all workers back (A-09, B-12)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from testwright.app import model_clients
from testwright.app.github.repository import connected_github
from testwright.app.model_clients import open_model_clients
from testwright.config.settings import load_settings
from testwright.core.errors import GitHubRateLimited, ModelRateLimited
from testwright.store.cache.cooldown import Cooldown
from testwright.store.cache.request_rate import RequestRate
from testwright.store.cache.valkey_responses import ValkeyServer
from testwright.tests.support.agents.model_chats import call
from testwright.tests.support.agents.scripted_openai import ScriptedOpenAI, answer, error
from testwright.tests.support.github.local_github import READER, WRITER, local_github
from testwright.tests.support.mcp.cache_server import CacheServer, cache_server
from testwright.vcs.github.api import GitHubAccess

pytestmark = pytest.mark.feature("A-09", "B-12")
LONGEST = 60.0


@pytest.fixture(scope="module")
def running() -> Iterator[CacheServer]:
    with cache_server() as server:
        yield server


class Waits(list[float]):
    """The waits that were asked for; none of them takes time."""

    async def sleep(self, seconds: float) -> None:
        self.append(seconds)


def of_worker(server: CacheServer | None, waits: Waits, service: str = "https://one/v1 m", **more: Any) -> Cooldown:
    shared = ValkeyServer(server.url) if server is not None else None
    return Cooldown(service, shared, longest=LONGEST, sleep=waits.sleep, **more)


async def test_what_one_worker_is_asked_to_wait_the_others_wait_too_at_that_service_alone(running: CacheServer) -> None:
    waits = Waits()
    await of_worker(running, Waits()).hold_off(30.0)
    await of_worker(running, waits, "https://other/v1 m").wait()
    assert waits == []
    await of_worker(running, waits).wait()
    assert 25.0 < waits[0] <= 30.0


async def test_the_later_end_counts_and_no_request_waits_longer_than_the_longest(running: CacheServer) -> None:
    waits = Waits()
    worker = of_worker(running, Waits(), "later")
    for seconds in (40.0, 10.0, 3600.0):
        await worker.hold_off(seconds)
    await of_worker(running, waits, "later").wait()
    assert 35.0 < waits[0] <= 40.0
    assert sum(waits) == LONGEST


async def test_a_flush_or_values_of_others_cost_no_more_than_a_wait(running: CacheServer) -> None:
    client: Any = running.client()
    client.flushall()
    told = of_worker(running, Waits(), "lied")
    await told.hold_off(30.0)
    [key] = client.keys("*")
    for lie in (
        lambda: client.flushall(),
        lambda: client.set(key, "for ever"),
        lambda: client.set(key, "for a year", ex=365 * 24 * 3600),
        lambda: (client.delete(key), client.rpush(key, "no text")),
    ):
        lie()
        waits = Waits()
        await of_worker(running, waits, "lied").wait()
        assert waits == []
        await of_worker(running, Waits(), "lied").hold_off(30.0)
        await of_worker(running, waits, "lied").wait()
        assert 25.0 < waits[0] <= 30.0


async def test_a_server_that_is_lost_is_told_once_and_each_worker_knows_its_own_waits() -> None:
    told, waits = list[str](), Waits()
    with cache_server() as server:
        worker = of_worker(server, waits, warn=told.append)
        server.stop()
        for _ in range(2):
            await worker.wait()
            await worker.hold_off(20.0)
    assert len(told) == 1
    assert "not known any more" in told[0]
    await worker.wait()
    assert 15.0 < waits[0] <= 20.0


async def test_requests_are_counted_against_the_budget_once_the_wait_is_over() -> None:
    waits = Waits()
    worker = of_worker(None, waits, rate=RequestRate(1, "https://one/v1", sleep=waits.sleep))
    await worker.hold_off(5.0)
    await worker.wait()
    assert 4.0 < waits[0] <= 5.0


async def test_a_model_that_answers_429_holds_back_the_requests_of_other_processes_to_it(
    running: CacheServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = Waits()
    monkeypatch.setattr(model_clients, "Cooldown", partial(Cooldown, sleep=waits.sleep))
    key = {"TESTWRIGHT_API_KEY": "k"}
    replies = [error(429, headers={"retry-after": "30"}), answer({"steps": []}), answer({"steps": []})]
    with ScriptedOpenAI(replies) as endpoint:
        given = {"root": tmp_path, "cache_url": running.url, "base_url": endpoint.base_url}
        settings = load_settings({**given, "models": {"spec": "openai:one", "planner": "openai:other"}})
        async with open_model_clients(settings, key) as clients:
            with pytest.raises(ModelRateLimited):
                await clients.by_role["spec"].complete(call())
        async with open_model_clients(settings, key) as clients:
            await clients.by_role["planner"].complete(call())
            assert waits == []
            await clients.by_role["spec"].complete(call())
    assert 25.0 < waits[0] <= 30.0


async def test_a_limit_of_github_that_one_worker_meets_holds_back_those_with_the_same_token(
    running: CacheServer, tmp_path: Path
) -> None:
    first, same, other = Waits(), Waits(), Waits()
    settings = load_settings({"root": tmp_path, "cache_url": running.url})
    with local_github() as github:
        github.add("acme/shop", {"README.md": "A shop."})

        async def ask(token: str, waits: Waits) -> None:
            access = GitHubAccess(github.url, token)
            async with connected_github(access, settings, {}, sleep=waits.sleep) as api:
                await api.get("/repos/acme/shop")

        github.fail("GET", "/repos/acme/shop", 429, "slow down", retry_after="20")
        await ask(WRITER, first)
        await ask(READER, other)
        await ask(WRITER, same)
    assert first[0] == 20.0
    assert other == []
    assert 15.0 < same[0] <= 20.0


async def test_an_hour_without_requests_that_one_worker_meets_ends_the_others_work_without_another_refusal(
    running: CacheServer, tmp_path: Path
) -> None:
    settings = load_settings({"root": tmp_path, "cache_url": running.url})
    with local_github() as github:
        github.add("acme/shop", {"README.md": "A shop."})
        access = GitHubAccess(github.url, WRITER)

        async def ask() -> None:
            async with connected_github(access, settings, {}, sleep=Waits().sleep) as api:
                await api.get("/repos/acme/shop")

        github.remaining, github.reset = 0, time.time() + 1800
        for _ in range(3):
            with pytest.raises(GitHubRateLimited) as raised:
                await ask()
            assert 1700 < int(str(raised.value.details["retry_after"])) <= 1802
        refused = [one.path for one in github.seen if one.status == 403]
        assert refused == ["/repos/acme/shop"]

        # The others take GitHub's own word for it: what another process has stored ends nothing.
        github.remaining = 5000
        await ask()
        assert github.seen[-1].path == "/repos/acme/shop"
        assert github.seen[-1].status == 200


@pytest.mark.parametrize("lie_seconds", [600, 3600, 365 * 24 * 3600])
async def test_a_false_word_of_a_long_wait_costs_one_question(
    running: CacheServer, tmp_path: Path, lie_seconds: int
) -> None:
    settings = load_settings({"root": tmp_path, "cache_url": running.url})
    with local_github() as github:
        github.add("acme/shop", {"README.md": "A shop."})
        access = GitHubAccess(github.url, WRITER)
        told = Cooldown(f"{access.url} {access.token}", ValkeyServer(running.url), longest=60.0, longest_kept=1e9)
        await told.hold_off(lie_seconds)
        async with connected_github(access, settings, {}, sleep=Waits().sleep) as api:
            await api.get("/repos/acme/shop")
            await api.get("/repos/acme/shop/git/ref/heads/main")
        asked = [one.path for one in github.seen if one.path == "/rate_limit"]
        assert len(asked) == (1 if lie_seconds <= 3700 else 0)
        assert [one.status for one in github.seen] == [200] * len(github.seen)


async def test_github_is_asked_also_where_the_server_is_away(tmp_path: Path) -> None:
    told = list[str]()
    settings = load_settings({"root": tmp_path, "cache_url": f"unix://{tmp_path}/nobody"})
    with local_github() as github:
        github.add("acme/shop", {"README.md": "A shop."})
        async with connected_github(GitHubAccess(github.url), settings, {}, warn=told.append) as api:
            assert (await api.get("/repos/acme/shop"))["full_name"] == "acme/shop"
    [warning] = told
    assert warning.startswith("GitHub's rate limits are not shared with other processes: ")
