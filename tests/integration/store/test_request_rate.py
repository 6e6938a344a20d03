"""One budget of requests a minute for several processes (A-09, B-12)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from testwright.store.cache.request_rate import RequestRate
from testwright.store.cache.valkey_responses import ValkeyServer
from testwright.tests.support.mcp.cache_server import CacheServer, cache_server


class Enough(Exception):
    """Raised in place of waiting, which ends a test that would wait for a minute."""


@pytest.fixture(scope="module")
def running() -> Iterator[CacheServer]:
    with cache_server() as server:
        yield server


async def refuse(seconds: float) -> None:
    assert 0 < seconds <= 60
    raise Enough


async def taken(rate: RequestRate) -> int:
    """How many requests may be sent before one has to wait."""
    for count in range(100):
        try:
            await rate.take()
        except Enough:
            return count
    pytest.fail("there is no limit")


def shared(server: CacheServer, most: int, provider: str) -> RequestRate:
    return RequestRate(most, provider, ValkeyServer(server.url), sleep=refuse)


@pytest.mark.feature("A-09", "B-12")
async def test_processes_that_share_a_server_share_one_budget_for_each_provider(running: CacheServer) -> None:
    first, second = shared(running, 5, "https://one/v1"), shared(running, 5, "https://one/v1")
    for _ in range(2):
        await first.take()
    assert await taken(second) == 3
    assert await taken(first) == 0
    assert await taken(shared(running, 2, "https://other/v1")) == 2
    first.close()
    second.close()


@pytest.mark.feature("A-09")
async def test_one_process_without_a_server_counts_its_own() -> None:
    assert await taken(RequestRate(3, "https://one/v1", sleep=refuse)) == 3


@pytest.mark.feature("A-09")
async def test_a_flush_or_values_of_others_cost_a_budget_at_most(running: CacheServer) -> None:
    client: Any = running.client()
    client.flushall()
    rate = shared(running, 2, "https://lied/v1")
    assert await taken(rate) == 2
    [key] = client.keys("*")
    for lie in (
        lambda: client.flushall(),
        lambda: client.set(key, "no moments at all"),
        lambda: (client.delete(key), client.zadd(key, {"far away": 1e17, "also": 9e16})),
    ):
        lie()
        assert await taken(rate) == 2
    rate.close()


@pytest.mark.feature("A-09")
async def test_a_server_that_is_lost_is_told_once_and_the_process_counts_on_alone() -> None:
    told: list[str] = []
    with cache_server() as server:
        rate = RequestRate(2, "https://one/v1", ValkeyServer(server.url), warn=told.append, sleep=refuse)
        assert await taken(rate) == 2
        server.stop()
        assert await taken(rate) == 2
    assert len(told) == 1
    assert "not counted any more" in told[0]
