"""A server over streamable HTTP (T-11)."""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import socket
import sys
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn
from mcp.server import MCPServer
from mcp.server.transport_security import TransportSecuritySettings

from ....core.errors import EnvironmentFault, SettingsError
from .body_limits import Bodies
from .connections import protocol_with_deadline
from .guard import Guard
from .options import HttpOptions, check_reachable_by
from .request_tracker import Exchanges
from .resume import ResumableStreams
from .signals import signals_answered_by

_BACKLOG = 512
_KEEP_ALIVE_SECONDS = 120
_SESSION_BYTES = 1024 * 1024
_RETRY_MILLISECONDS = 500


def say_where(url: str) -> None:
    """The line on stderr that tells where the server listens; programs wait for it."""
    print(f"listening on {url}", file=sys.stderr, flush=True)  # noqa: T201 - stdout may be another program's input


async def serve_http(server: MCPServer[Any], options: HttpOptions, *, ready: Callable[[str], None] = say_where) -> None:
    """Serve any number of clients until SIGTERM or SIGINT.

    On the first signal nothing new is taken and calls in flight may finish within `options.shutdown_seconds`; on the
    second they are cancelled at once.

    Args:
        ready: told the address, such as `http://127.0.0.1:40123/mcp`, as soon as clients can connect.

    Raises:
        SettingsError: others could reach the address and there is no token.
        EnvironmentFault: the address cannot be listened on, or the server could not start.
    """
    listener, address = _listener(options)
    streams = ResumableStreams(_SESSION_BYTES)
    exchanges = Exchanges(_protocol_app(server, options, streams), options, streams)
    app = Guard(Bodies(exchanges, options), options, address)
    config = uvicorn.Config(
        app,
        http=protocol_with_deadline(options.header_seconds),
        ws="none",
        lifespan="on",
        log_config=None,
        log_level=logging.CRITICAL,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        # Longer than clients keep a connection they do not use: who closes first must be the client, or a request that
        # is just being sent meets a closed connection.
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        limit_concurrency=options.max_connections,
        timeout_graceful_shutdown=max(1, round(options.shutdown_seconds)),
    )
    running = _Running(config, exchanges, lambda: ready(_url(address, listener, options.path)))
    with contextlib.closing(listener), signals_answered_by(running.stop), _session_ids_unlogged():
        try:
            await running.serve(sockets=[listener])
        except SystemExit:
            raise EnvironmentFault("the server could not start", advice="its log on stderr tells why") from None


class _Running(uvicorn.Server):
    """Uvicorn, stopped by us: signals are handled around it, and waiting streams end before it waits for calls."""

    def __init__(self, config: uvicorn.Config, exchanges: Exchanges, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._exchanges = exchanges
        self._ready = ready

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._exchanges.drain()
        await super().shutdown(sockets)
        if self.force_exit:
            # Uvicorn leaves this out then; calls have to end before what they stand on is closed.
            await self.lifespan.shutdown()

    def stop(self) -> None:
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
        # Host and Origin are the guard's; it looks before anything is read.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )


def _listener(options: HttpOptions) -> tuple[socket.socket, str]:
    try:
        found = socket.getaddrinfo(options.host, options.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise SettingsError(f"{options.host} is no address of this machine: {error}") from error
    family, kind, protocol, _, place = found[0]
    address = str(place[0])
    check_reachable_by(options, address)
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
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
    shown = f"[{address}]" if ipaddress.ip_address(address.partition("%")[0]).version == 6 else address
    return f"http://{shown}:{port}{path}"


@contextlib.contextmanager
def _session_ids_unlogged() -> Iterator[None]:
    """Who knows a session's id can use the session, and the SDK tells each one at level INFO."""
    tellers = [logging.getLogger(f"mcp.server.streamable_http{which}") for which in ("", "_manager")]
    before = [teller.level for teller in tellers]
    for teller in tellers:
        teller.setLevel(logging.WARNING)
    try:
        yield
    finally:
        for teller, level in zip(tellers, before, strict=True):
            teller.setLevel(level)
