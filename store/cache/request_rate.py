"""Counts requests to a provider against a budget a minute, shared by all processes that use one Valkey or Redis.

The server keeps moments of requests and nothing else. Where it is lost, flushed or wrong, at worst too many requests
are sent for a minute, which the provider then refuses; each process goes on counting its own.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from .responses import ResponsesLost
from .valkey_responses import ValkeyServer

_PREFIX = "testwright:rate:1:"
_WINDOW_MS = 60_000
_SHORTEST_SECONDS = 0.01
# By the server's clock, so that those of the machines may differ. Moments of the future, and a value that is no set of
# moments, are somebody else's: they count for nothing.
_TAKE = """
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
if redis.call('TYPE', KEYS[1]).ok ~= 'zset' then redis.call('DEL', KEYS[1]) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. now, '+inf')
if redis.call('ZCARD', KEYS[1]) < tonumber(ARGV[1]) then
  redis.call('ZADD', KEYS[1], now, t[1] .. ':' .. t[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 0
end
return tonumber(redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]) + ARGV[2] - now
"""


class RequestRate:
    """A budget of requests a minute.

    Args:
        most: requests in any 60 seconds.
        provider: whose they are, such as the URL of its endpoint; only a digest of it is stored.
        server: counts for all processes; None counts those of this one.
        warn: told once when the server is lost.
        sleep: waits; replaced in tests only.
    """

    def __init__(
        self,
        most: int,
        provider: str,
        server: ValkeyServer | None = None,
        *,
        warn: Callable[[str], None] = lambda message: None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._most = most
        self._key = _PREFIX + hashlib.sha256(provider.encode()).hexdigest()
        self._server = server
        self._warn = warn
        self._sleep = sleep
        self._own: deque[float] = deque(maxlen=most)
        self._changing = threading.Lock()

    async def take(self) -> None:
        """Return when one more request may be sent, and count it."""
        while (seconds := await asyncio.to_thread(self._wait)) > 0:
            await self._sleep(max(seconds, _SHORTEST_SECONDS))

    def close(self) -> None:
        """Close the connections to the server."""
        if self._server is not None:
            self._server.close()

    def _wait(self) -> float:
        server = self._server  # another thread may find meanwhile that it is lost
        if server is not None:
            try:
                found: Any = server.call("eval", _TAKE, 1, self._key, self._most, _WINDOW_MS)
                return min(max(int(found), 0), _WINDOW_MS) / 1000
            except (ResponsesLost, TypeError, ValueError) as error:
                with self._changing:
                    lost, self._server = self._server is not None, None
                if lost:
                    self._warn(f"Requests of other processes are not counted any more: {error}.")
        with self._changing:
            now = time.monotonic()
            if len(self._own) == self._most and (left := self._own[0] + _WINDOW_MS / 1000 - now) > 0:
                return left
            self._own.append(now)
            return 0.0
