"""Holds requests back after a service has asked for time, shared by all processes that use one Valkey or Redis.

The server keeps until when, and nothing else. Where it is lost, flushed or wrong, requests are sent too soon, which the
service then refuses, or up to `longest` seconds too late; who is told of a longer wait asks the service itself.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

from .request_rate import RequestRate
from .responses import ResponsesLost
from .valkey_responses import ValkeyServer

_PREFIX = "testwright:cooldown:1:"
_SHORTEST_SECONDS = 0.01
# The later end counts. One that never comes, or later than any that is kept, is somebody else's.
_PROLONG = """
local left = redis.call('PTTL', KEYS[1])
if left < tonumber(ARGV[1]) or left > tonumber(ARGV[2]) then redis.call('SET', KEYS[1], '', 'PX', ARGV[1]) end
return 0
"""


class Cooldown:
    """A `Pacing` by what a service asks for in answers such as 429 with `Retry-After`.

    Args:
        service: whose requests they are, such as an address; only a digest of it is stored.
        server: keeps the cooldown for all processes; None keeps that of this one.
        longest: seconds; no request waits longer, whatever the server says.
        longest_kept: seconds. Between the two, others are told and do not wait; beyond it nothing is kept. By default
            the same as `longest`.
        rate: a budget of requests a minute that each one is counted against.
        warn: told once when the server is lost.
        sleep: waits; replaced in tests only.
    """

    def __init__(
        self,
        service: str,
        server: ValkeyServer | None = None,
        *,
        longest: float,
        longest_kept: float | None = None,
        rate: RequestRate | None = None,
        warn: Callable[[str], None] = lambda message: None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._key = _PREFIX + hashlib.sha256(service.encode()).hexdigest()
        self._server = server
        self._longest = longest
        self._longest_kept = longest if longest_kept is None else longest_kept
        self._rate = rate
        self._warn = warn
        self._sleep = sleep
        self._own_end = 0.0
        self._losing = threading.Lock()

    async def wait(self) -> float:
        """See `Pacing.wait`."""
        waited = 0.0
        while waited < self._longest and (left := await asyncio.to_thread(self._left)) > 0:
            if left > self._longest:
                return left
            seconds = min(max(left, _SHORTEST_SECONDS), self._longest - waited)
            await self._sleep(seconds)
            waited += seconds
        if self._rate is not None:
            await self._rate.take()
        return 0.0

    async def hold_off(self, seconds: float) -> None:
        """See `Pacing.hold_off`."""
        if 0 < seconds <= self._longest_kept:
            self._own_end = max(self._own_end, time.monotonic() + seconds)
            milliseconds = (math.ceil(seconds * 1000), math.ceil(self._longest_kept * 1000))
            await asyncio.to_thread(self._ask, "eval", _PROLONG, 1, self._key, *milliseconds)

    def _left(self) -> float:
        """Seconds until requests are taken again, as far as this process or another one has been told."""
        found = self._ask("pttl", self._key)
        shared = found / 1000 if isinstance(found, int) else 0.0
        return max(shared if shared <= self._longest_kept else 0.0, self._own_end - time.monotonic())

    def _ask(self, command: str, *arguments: Any) -> Any:
        """The server's answer; None without one."""
        server = self._server  # another thread may find meanwhile that it is lost
        if server is None:
            return None
        try:
            return server.call(command, *arguments)
        except ResponsesLost as error:
            with self._losing:
                lost, self._server = self._server is not None, None
            if lost:
                self._warn(f"Rate limits that other processes meet are not known any more: {error}.")
            return None
