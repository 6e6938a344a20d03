"""Defines the ASGI types and helpers that the middleware uses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from .messages import Refusal

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


def header(of: Scope | Message, name: bytes) -> str | None:
    """Returns the first value of a header (`name` in lower case) of a request or response, or None."""
    return next((value.decode("latin-1") for key, value in of["headers"] if key == name), None)


def headers(scope: Scope, name: bytes) -> list[str]:
    """Returns every value of a request header."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


async def answer(send: Send, status: int, refusal: Refusal, more: Iterable[tuple[bytes, bytes]] = ()) -> None:
    """Answers with a JSON-RPC error and closes the connection: the refused body may still be arriving."""
    body = refusal.body()
    head = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        (b"connection", b"close"),
        *more,
    ]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": body})
