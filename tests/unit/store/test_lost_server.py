"""Requests that lose the cache server together, each in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, cast

import pytest

from testwright.store.cache.cooldown import Cooldown
from testwright.store.cache.request_rate import RequestRate
from testwright.store.cache.responses import ResponsesLost
from testwright.store.cache.valkey_responses import ValkeyServer

pytestmark = pytest.mark.feature("A-09", "B-12")


class LostTogether:
    """A server that is lost once two have asked it."""

    def __init__(self) -> None:
        self._asking = threading.Barrier(2)

    def call(self, *_: Any) -> Any:
        self._asking.wait(timeout=100)
        raise ResponsesLost("no answer in 2 s")


def lost() -> ValkeyServer:
    return cast(ValkeyServer, LostTogether())


async def test_two_requests_that_lose_the_server_together_tell_it_once() -> None:
    told = list[str]()
    cooldown = Cooldown("https://one/v1 m", lost(), longest=60.0, warn=told.append)
    await asyncio.gather(cooldown.wait(), cooldown.wait())
    assert told == ["Rate limits that other processes meet are not known any more: no answer in 2 s."]


async def test_two_requests_that_lose_the_count_together_tell_it_once_and_are_counted() -> None:
    told, waits = list[str](), list[float]()

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        rate._own.clear()

    rate = RequestRate(2, "https://one/v1", lost(), warn=told.append, sleep=sleep)
    await asyncio.gather(rate.take(), rate.take())
    assert told == ["Requests of other processes are not counted any more: no answer in 2 s."]
    assert waits == []
    await rate.take()
    assert 50.0 < waits[0] <= 60.0
