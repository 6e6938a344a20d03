"""Limits the body of a request in size and time, and checks that it is one JSON-RPC message.

The SDK's `max_request_body_size` is set as well, but cannot replace this: it has no time limit, and it answers with
plain text in place of a JSON-RPC error, before a client has finished sending.
"""

from __future__ import annotations

import asyncio

from .asgi import App, Message, Receive, Scope, Send, answer, header
from .messages import INVALID_REQUEST, Refusal, check_message, too_large
from .options import HttpOptions

_DRAIN_FACTOR = 8
"""A body up to this many times the limit is read to its end before it is refused: a client that is still sending when
the connection closes sees a broken connection instead of the answer."""

_SMALL_BYTES = 64 * 1024


class BodyLimitMiddleware:
    """Reads the body first, and answers 408, 413, 503 or 400, or passes the request on."""

    def __init__(self, app: App, options: HttpOptions) -> None:
        self._app = app
        self._limit = options.body_limit_bytes
        self._limit_of_all = options.bodies_limit_bytes
        self._seconds = options.body_seconds
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves a request whose body is acceptable."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._seconds):
                body = await self._read(scope, receive)
        except TimeoutError:
            message = f"the body did not arrive within {self._seconds:g} seconds"
            await answer(send, 408, Refusal(INVALID_REQUEST, message))
            return
        except _Disconnected:
            return
        except _TooLarge:
            await answer(send, 413, too_large(self._limit))
            return
        except _Crowded:
            message = "too many large bodies are being sent at the same time; send this one again in a while"
            await answer(send, 503, Refusal(INVALID_REQUEST, message), [(b"retry-after", b"5")])
            return
        if (refusal := check_message(body)) is not None:
            await answer(send, 400, refusal)
            return
        await self._app(scope, _replayed(body, receive), send)

    async def _read(self, scope: Scope, receive: Receive) -> bytes:
        declared = header(scope, b"content-length") or ""
        # A client that sent `Expect` waits for our answer before it sends: nothing has to be drained.
        is_waiting = header(scope, b"expect") is not None
        if declared.isdecimal() and int(declared) > self._limit * (1 if is_waiting else _DRAIN_FACTOR):
            raise _TooLarge
        body = bytearray()
        try:
            length = await self._collect(receive, body)
        finally:
            self._held -= len(body)
        if length > self._limit:
            raise _TooLarge
        return bytes(body)

    async def _collect(self, receive: Receive, body: bytearray) -> int:
        """Adds what arrives to `body`, up to the limit, and returns how much it was."""
        length = 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                raise _Disconnected
            chunk = message.get("body", b"")
            length += len(chunk)
            if length <= self._limit:
                body += chunk
                self._held += len(chunk)
                # Clients that send slowly must not fill the memory together; small messages always pass.
                if length > _SMALL_BYTES and self._held > self._limit_of_all:
                    raise _Crowded
            elif length > self._limit * _DRAIN_FACTOR:
                raise _TooLarge
            if not message.get("more_body", False):
                return length


class _Crowded(Exception):
    """The bodies that are being received take too much memory together."""


class _TooLarge(Exception):
    """The body is above the limit."""


class _Disconnected(Exception):
    """The client left before the body was complete."""


def _replayed(body: bytes, receive: Receive) -> Receive:
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay
