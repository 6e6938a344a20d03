"""A server behind a URL: streamable HTTP, with a bound on what it may answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import httpx2
from mcp.client.streamable_http import streamable_http_client

from .journal import Journal

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

_CONNECT_SECONDS = 10.0
_SLACK_SECONDS = 30.0


class AnswerTooLong(httpx2.StreamError):
    """The body of a response is longer than any answer may be."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the answer is larger than {limit} bytes")


@asynccontextmanager
async def http_streams(
    url: str, headers: Mapping[str, str], journal: Journal, *, seconds: float, most_bytes: int
) -> AsyncIterator[TransportStreams]:
    """Speak to a URL. Redirects to another origin are not followed, so headers stay where they were meant for.

    Args:
        seconds: the longest that a call may take.
        most_bytes: the longest body that is read, and the longest event of a stream.
    """

    async def look(response: httpx2.Response) -> None:
        if response.status_code >= 400:
            journal.status = response.status_code
        if "text/event-stream" not in response.headers.get("content-type", "") and isinstance(
            response.stream, httpx2.AsyncByteStream
        ):
            response.stream = _Bounded(response.stream, most_bytes)

    timeout = httpx2.Timeout(seconds + _SLACK_SECONDS, connect=min(_CONNECT_SECONDS, seconds))
    async with (
        httpx2.AsyncClient(headers=dict(headers), timeout=timeout, event_hooks={"response": [look]}) as http,
        streamable_http_client(url, http_client=http, max_sse_event_size=most_bytes) as streams,
    ):
        yield streams


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, limit: int) -> None:
        self._inner = inner
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = 0
        async for part in self._inner:
            seen += len(part)
            if seen > self._limit:
                raise AnswerTooLong(self._limit)
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()
