"""gidgethub's client with waits for rate limits and for failures that pass.

Imported when a connection is opened: the library is an extra.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import gidgethub
import gidgethub.httpx
import httpx2

from ...core.errors import GitHubFailure, GitHubUnreachable
from ...core.pacing import Pacing
from .limits import LONGEST_WAIT, limit_wait, rate_limited, seconds_until, spent_until

Sleep = Callable[[float], Awaitable[None]]

_OF_WHO_ASKS = ("accept", "authorization", "user-agent")
_MOST_WAITS = 3
_MOST_RETRIES = 3


class GitHubClient(gidgethub.httpx.GitHubAPI):
    """One connection.

    Args:
        http: sends the requests.
        sleep: waits; replaced in tests only.
        token: "" asks without one.
        cache, pacing: as of `open_github`.
    """

    def __init__(
        self, http: httpx2.AsyncClient, url: str, token: str, cache: object, sleep: Sleep, pacing: Pacing
    ) -> None:
        super().__init__(http, "testwright", oauth_token=token or None, base_url=url, cache=cache)
        self._sleep = sleep
        self._pacing = pacing
        self._has_checked = False

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await self._sleep(seconds)

    async def manage_rate_limit(self, *, method: str, url: str) -> None:
        """Wait before a request that would only be refused, and count as abuse."""
        limit = self.rate_limit
        # gidgethub counts down before it asks, so the last request of an hour is made at zero.
        if limit is not None and limit.remaining < 0 and not limit:
            await self._wait(seconds_until(limit.reset_datetime.timestamp()), "the hour's requests are used up")
            self.rate_limit = None

    async def handle_rate_limit_error(
        self, *, method: str, url: str, exception: gidgethub.HTTPException, attempt: int
    ) -> bool:
        """Whether to send a request again, after the wait that it needs. Raises GitHubRateLimited."""
        if int(exception.status_code) >= 500:
            if attempt > _MOST_RETRIES:
                return False
            await self._sleep(2.0 ** (attempt - 1))
            return True
        wait = limit_wait(exception)
        if wait is None:
            return False
        if attempt > _MOST_WAITS:
            raise rate_limited(wait, str(exception))
        await self._wait(wait, str(exception))
        self.rate_limit = None  # what the refusal said of it is past
        return True

    async def _wait(self, seconds: float, why: str) -> None:
        await self._pacing.hold_off(seconds)
        if seconds > LONGEST_WAIT:
            raise rate_limited(seconds, why)
        await self._sleep(seconds)

    async def _request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> tuple[int, Mapping[str, str], bytes]:
        # An answer names its next page: the token goes with a request, and only to who was asked.
        if _origin(url) != _origin(self.base_url):
            raise GitHubFailure(
                "GitHub's answer names a next page on another server, which is not asked.",
                advice="See that GITHUB_API_URL is the address that the server itself gives for its API.",
            )
        for attempt in range(_MOST_RETRIES + 1):
            if await self._pacing.wait():
                await self._check_limit(headers)
            try:
                return await super()._request(method, url, headers, body)
            except httpx2.TransportError as error:
                if attempt == _MOST_RETRIES:
                    raise GitHubUnreachable(
                        f"GitHub cannot be reached at {self.base_url}: {error or type(error).__name__}.",
                        advice="See that the network is there, and what GITHUB_API_URL says.",
                    ) from error
                await self._sleep(2.0**attempt)
        raise AssertionError("the last attempt returns or raises")

    async def _check_limit(self, headers: Mapping[str, str]) -> None:
        """Ask GitHub itself whether the hour's requests are used up, which costs none of them, once a connection.

        Raises:
            GitHubRateLimited: they are, for longer than anybody waits.
        """
        if self._has_checked:
            return
        self._has_checked = True
        shown = {name: value for name, value in headers.items() if name.lower() in _OF_WHO_ASKS}
        try:
            status, _, content = await super()._request("GET", f"{self.base_url.rstrip('/')}/rate_limit", shown, b"")
        except httpx2.TransportError:
            return  # the request that follows says so
        if (seconds := spent_until(status, content)) > LONGEST_WAIT:
            self._has_checked = False
            raise rate_limited(seconds, "the hour's requests are used up")


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = httpx2.URL(url)
    return parts.scheme, parts.host, parts.port  # a scheme's usual port is None
