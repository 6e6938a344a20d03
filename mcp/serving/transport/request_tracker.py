"""Tracks the requests in flight, and ends them when their client disappears or the server stops."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable

from .asgi import App, Message, Receive, Scope, Send, answer, header
from .messages import INTERNAL_ERROR, INVALID_REQUEST, Refusal
from .options import HttpOptions
from .resume import ResumableStreams

_LOG = logging.getLogger(__name__)
_SESSION = b"mcp-session-id"


class RequestTracker:
    """Counts the requests of each session.

    A session whose client disconnects during a call is ended after `abandoned_seconds`, unless the client returns, and
    its calls are cancelled. In the protocol without sessions the SDK ends the call at once.
    """

    def __init__(self, app: App, options: HttpOptions, streams: ResumableStreams) -> None:
        self._app = app
        self._streams = streams
        self._abandoned_seconds = options.abandoned_seconds
        self._open: Counter[str] = Counter()
        self._vanished: set[str] = set()
        self._abandoned: dict[str, asyncio.TimerHandle] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._draining = asyncio.Event()

    def drain(self) -> None:
        """Refuses new requests and ends streams that only listen; calls in flight go on."""
        self._draining.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # Nothing was begun: the client may send the request again.
        if self._draining.is_set():
            await answer(send, 503, Refusal(INVALID_REQUEST, "the server is stopping"))
            return
        session = header(scope, _SESSION)
        record = self._streams.enter(session)

        def on_begin(message: Message) -> None:
            if session is None and (new_id := header(message, _SESSION)) is not None:
                self._streams.register(new_id, record)

        request = _TrackedRequest(receive, send, on_begin, self._draining if _only_listens(scope) else None)
        self._begin(session)
        try:
            await self._app(scope, request.receive, request.send)
            await request.finish()
        except Exception:  # noqa: BLE001 - any defect must cost one request only
            _LOG.exception("a request failed")
            if not request.has_begun:
                await answer(send, 500, Refusal(INTERNAL_ERROR, "the server failed; see its log"))
        finally:
            self._end(session, scope, vanished=request.has_vanished)
            if session is not None and scope["method"] == "DELETE":
                self._streams.end(session)

    def _begin(self, session: str | None) -> None:
        if session is not None:
            self._open[session] += 1
            self._vanished.discard(session)
            if (timer := self._abandoned.pop(session, None)) is not None:
                timer.cancel()

    def _end(self, session: str | None, scope: Scope, *, vanished: bool) -> None:
        if session is None:
            return
        if scope["method"] == "POST":
            # Only calls count: a stream that listens ends whenever a client likes.
            (self._vanished.add if vanished else self._vanished.discard)(session)
        self._open[session] -= 1
        # The client has other requests open: it is still there.
        if self._open[session] > 0:
            return
        del self._open[session]
        if session in self._vanished:
            # No request is open any more: the client gets some time to return before its session ends.
            self._vanished.discard(session)
            loop = asyncio.get_running_loop()
            self._abandoned[session] = loop.call_later(self._abandoned_seconds, self._give_up, session, dict(scope))

    def _give_up(self, session: str, scope: Scope) -> None:
        self._abandoned.pop(session, None)
        _LOG.warning("a client disconnected during a call and did not return: its session ends")
        task = asyncio.get_running_loop().create_task(self._delete(scope))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _delete(self, scope: Scope) -> None:
        """Ends a session as its client would, by a DELETE request: the SDK has no other way from outside."""

        async def nothing() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def unread(_: Message) -> None:
            return None

        await self._app({**scope, "method": "DELETE"}, nothing, unread)


def _only_listens(scope: Scope) -> bool:
    """Whether the request is a stream for notifications, in the protocol with sessions or in the one without."""
    return scope["method"] == "GET" or header(scope, b"mcp-method") == "subscriptions/listen"


class _TrackedRequest:
    """One request: whether its response has begun, and whether the client left before it was complete."""

    def __init__(
        self, receive: Receive, send: Send, on_begin: Callable[[Message], None], cut: asyncio.Event | None
    ) -> None:
        self._receive = receive
        self._send = send
        self._on_begin = on_begin
        self._cut = cut
        self._complete = False
        self.has_begun = False
        self.has_vanished = False

    async def receive(self) -> Message:
        if self._cut is None:
            message = await self._receive()
        else:
            message = await self._unless_cut(self._cut)
        if message["type"] == "http.disconnect" and not self._complete:
            self.has_vanished = True
        return message

    async def send(self, message: Message) -> None:
        if not self.has_begun:
            self.has_begun = True
            self._on_begin(message)
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            self._complete = True
        await self._send(message)

    async def finish(self) -> None:
        """Ends the response of a stream that was cut, so that its client sees an end, not a broken connection."""
        if self.has_begun and not self._complete and self._cut is not None and self._cut.is_set():
            await self.send({"type": "http.response.body", "body": b""})

    async def _unless_cut(self, cut: asyncio.Event) -> Message:
        waits = [asyncio.ensure_future(self._receive()), asyncio.ensure_future(cut.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            # The SDK ends a stream when its client disconnects: a cut stream looks the same to it.
            return {"type": "http.disconnect"} if cut.is_set() else await waits[0]  # pyrefly: ignore[bad-return]
        finally:
            for task in waits:
                task.cancel()
