"""Connections that do not get on with their request are closed (T-11)."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol


def protocol_with_deadline(seconds: float) -> type[H11Protocol]:
    """A protocol class for uvicorn that closes a connection whose request's head is not there in time.

    Args:
        seconds: from the opening of the connection, or from the first byte of a further request.
    """

    class WithDeadline(H11Protocol):
        _deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._deadline = self.loop.call_later(seconds, transport.close)

        def data_received(self, data: bytes) -> None:
            served = self.cycle
            super().data_received(data)
            if self.cycle is not served or not self._between_requests():
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
