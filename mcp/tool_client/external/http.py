"""The transport to a server behind a URL: streamable HTTP, with a limit on the size of answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import httpx2

from ...sdk import TransportStreams, streamable_http_client
from .diagnostics import ServerDiagnostics

_CONNECT_SECONDS = 10.0
_MARGIN_SECONDS = 30.0


class AnswerTooLong(httpx2.StreamError):
    """The body of a response exceeds the limit."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the answer is larger than {limit} bytes")


@asynccontextmanager
async def http_streams(
    url: str, headers: Mapping[str, str], diagnostics: ServerDiagnostics, *, seconds: float, max_bytes: int
) -> AsyncIterator[TransportStreams]:
    """Connects to a URL. Redirects to another origin are not followed, so that no other host receives the headers.

    Args:
        seconds: the maximum duration of a call.
        max_bytes: the maximum size of a body, and of an event of a stream.
    """

    async def limit_response(response: httpx2.Response) -> None:
        if response.status_code >= 400:
            diagnostics.status = response.status_code
        # Streams are endless; the SDK limits each of their events.
        if "text/event-stream" not in response.headers.get("content-type", "") and isinstance(
            response.stream, httpx2.AsyncByteStream
        ):
            response.stream = _Bounded(response.stream, max_bytes)

    timeout = httpx2.Timeout(seconds + _MARGIN_SECONDS, connect=min(_CONNECT_SECONDS, seconds))
    async with (
        httpx2.AsyncClient(headers=dict(headers), timeout=timeout, event_hooks={"response": [limit_response]}) as http,
        streamable_http_client(url, http_client=http, max_sse_event_size=max_bytes) as streams,
    ):
        yield streams


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, limit: int) -> None:
        self._inner = inner
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._inner:
            size += len(part)
            if size > self._limit:
                raise AnswerTooLong(self._limit)
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()
