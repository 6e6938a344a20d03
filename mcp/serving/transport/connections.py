"""Closes connections that do not send the head of a request in time."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol


def deadline_protocol(seconds: float) -> type[H11Protocol]:
    """Builds a protocol class for uvicorn that closes a connection whose request head is late.

    Args:
        seconds: counted from the opening of the connection, or from the first byte of a further request.
    """

    class WithDeadline(H11Protocol):
        _deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._deadline = self.loop.call_later(seconds, transport.close)

        def data_received(self, data: bytes) -> None:
            previous = self.cycle
            super().data_received(data)
            # A new cycle means that a head is complete; while a request is served, its body has limits of its own.
            if self.cycle is not previous or not self._between_requests():
                self._stop_waiting()
            elif self._deadline is None:
                self._deadline = self.loop.call_later(seconds, self.transport.close)

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_waiting()
            super().connection_lost(exc)

        def _between_requests(self) -> bool:
            return self.cycle is None or self.cycle.response_complete

        def _stop_waiting(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

    return WithDeadline
