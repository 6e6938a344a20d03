"""Bounds the body of an HTTP response that is read piece by piece."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2


class BoundedStream(httpx2.AsyncByteStream):
    """A response body that raises an error beyond a number of bytes."""

    def __init__(self, inner: httpx2.AsyncByteStream, most: int, error: Exception) -> None:
        self._inner = inner
        self._most = most
        self._error = error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = 0
        async for part in self._inner:
            seen += len(part)
            if seen > self._most:
                raise self._error
            yield part

    async def aclose(self) -> None:
        """Closes the body."""
        await self._inner.aclose()
