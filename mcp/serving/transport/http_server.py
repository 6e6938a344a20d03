"""Serves over streamable HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import socket
import sys
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ....core.errors import EnvironmentFault, SettingsError
from ...sdk import MCPServer, TransportSecuritySettings, silence_session_ids
from .body_limits import BodyLimitMiddleware
from .options import HttpOptions, check_reachable_by
from .request_guard import RequestGuard
from .request_tracker import RequestTracker
from .resume import ResumableStreams
from .signals import stop_on_signals

_BACKLOG = 512
_KEEP_ALIVE_SECONDS = 120
_SESSION_BYTES = 1024 * 1024
_RETRY_MILLISECONDS = 500


def print_address(url: str) -> None:
    """Prints the server's address to stderr; programs wait for this line."""
    print(f"listening on {url}", file=sys.stderr, flush=True)  # noqa: T201 - stdout may be another program's input


async def serve_http(
    server: MCPServer[Any], options: HttpOptions, *, ready: Callable[[str], None] = print_address
) -> None:
    """Serves any number of clients until SIGTERM or SIGINT.

    The first signal refuses new requests and lets calls in flight finish within `options.shutdown_seconds`; the second
    one cancels them at once.

    Args:
        ready: called with the address, such as `http://127.0.0.1:40123/mcp`, as soon as clients can connect.

    Raises:
        SettingsError: other machines could reach the address and there is no token.
        EnvironmentFault: the address is not available, or the server could not start.
    """
    listener, address = _listener(options)
    streams = ResumableStreams(_SESSION_BYTES)
    tracker = RequestTracker(_protocol_app(server, options, streams), options, streams)
    # Cheapest check first: headers, then the size of the body, then the session.
    app = RequestGuard(BodyLimitMiddleware(tracker, options), options, address)
    config = uvicorn.Config(
        app,
        http=deadline_protocol(options.header_seconds),
        ws="none",
        lifespan="on",
        log_config=None,
        log_level=logging.CRITICAL,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        # Longer than clients keep an idle connection: if the server closed it first, a request that is just being sent
        # would meet a closed connection.
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        limit_concurrency=options.max_connections,
        timeout_graceful_shutdown=max(1, round(options.shutdown_seconds)),
    )
    running = _Server(config, tracker, lambda: ready(_url(address, listener, options.path)))
    with contextlib.closing(listener), stop_on_signals(running.stop), silence_session_ids():
        try:
            await running.serve(sockets=[listener])
        # Uvicorn exits the process when it cannot start.
        except SystemExit:
            raise EnvironmentFault("the server could not start", advice="see its log on stderr") from None


class _Server(uvicorn.Server):
    """Uvicorn without its own signal handling; listening streams end before it waits for calls."""

    def __init__(self, config: uvicorn.Config, tracker: RequestTracker, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._tracker = tracker
        self._ready = ready

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._tracker.drain()
        await super().shutdown(sockets)
        if self.force_exit:
            # Uvicorn skips this when forced; calls have to end before the resources they use are closed.
            await self.lifespan.shutdown()

    def stop(self) -> None:
        # The second signal does not wait for calls any more.
        self.force_exit = self.should_exit
        self.should_exit = True


def _protocol_app(server: MCPServer[Any], options: HttpOptions, streams: ResumableStreams) -> Any:
    return server.streamable_http_app(
        streamable_http_path=options.path,
        event_store=streams,
        retry_interval=_RETRY_MILLISECONDS,
        max_request_body_size=options.body_limit_bytes,
        session_idle_timeout=options.idle_seconds,
        max_sessions=options.max_sessions,
        # `RequestGuard` checks Host and Origin, more exactly and before anything is read.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )


def _listener(options: HttpOptions) -> tuple[socket.socket, str]:
    try:
        found = socket.getaddrinfo(options.host, options.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise SettingsError(f"{options.host} is no address of this machine: {error}") from error
    family, kind, protocol, _, socket_address = found[0]
    address = str(socket_address[0])
    check_reachable_by(options, address)
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(socket_address)
        listener.listen(_BACKLOG)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        raise EnvironmentFault(
            f"cannot listen on {options.host}:{options.port}: {error.strerror}",
            advice="choose another port, or 0 for a free one",
        ) from error
    return listener, address


def _url(address: str, listener: socket.socket, path: str) -> str:
    port = listener.getsockname()[1]
    # IPv6 addresses are written in brackets, without their zone for the check.
    shown = f"[{address}]" if ipaddress.ip_address(address.partition("%")[0]).version == 6 else address
    return f"http://{shown}:{port}{path}"


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
