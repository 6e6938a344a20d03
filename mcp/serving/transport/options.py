"""Holds the options of a server over HTTP, and refuses those that would expose it."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from ipaddress import ip_address

from ....core.errors import SettingsError
from .messages import MESSAGE_LIMIT_BYTES

_TOKEN = re.compile(r"[\x21-\x7e]{16,512}")


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """The options of a server over HTTP. Durations are seconds.

    Attributes:
        host: a name or address of this machine to listen on.
        port: 0 for any free port.
        token: what a client must send as `Authorization: Bearer …`; may be left out on loopback only.
        path: the URL path of the protocol.
        body_limit_bytes: the largest request body; above it the answer is 413.
        bodies_limit_bytes: the most that bodies which are being received may take together; above it the answer is 503,
            but for small ones.
        body_seconds: how long a client may take to send a body; then 408.
        header_seconds: how long a connection may take to send the head of a request; then it is closed.
        allowed_hosts: names a client may use for this server (the Host header, without its port) besides addresses of
            this machine: `localhost` on loopback, IP addresses elsewhere.
        allowed_origins: web origins (`https://tools.example`) whose pages may call, besides this machine's own.
        max_connections: connections at once; above it the answer is 503.
        max_sessions: sessions at once; above it the answer is 503.
        idle_seconds: a session that is not used for this long ends.
        abandoned_seconds: a session whose client disconnects during a call and does not return for this long ends, and
            its calls with it.
        shutdown_seconds: how long calls in flight may take after SIGTERM; then they are cancelled.
    """

    host: str = "127.0.0.1"
    port: int = 0
    token: str | None = field(default=None, repr=False)
    path: str = "/mcp"
    body_limit_bytes: int = MESSAGE_LIMIT_BYTES
    bodies_limit_bytes: int = 16 * MESSAGE_LIMIT_BYTES
    body_seconds: float = 30.0
    header_seconds: float = 30.0
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    max_connections: int = 1000
    max_sessions: int = 1000
    idle_seconds: float = 1800.0
    abandoned_seconds: float = 60.0
    shutdown_seconds: float = 10.0

    def __post_init__(self) -> None:
        """Checks what does not depend on the machine.

        Raises:
            SettingsError: the token is too weak to be one, or a number is not positive.
        """
        if self.token is not None and not _TOKEN.fullmatch(self.token):
            raise SettingsError(
                "the token for HTTP clients is too short, too long, or has characters that cannot be sent",
                advice='use 16 to 512 visible ASCII characters, for example from `python -c "import secrets; '
                'print(secrets.token_urlsafe(32))"`',
            )
        if not 0 <= self.port <= 65_535:
            raise SettingsError(f"{self.port} is no port", advice="a port is 1 to 65535, or 0 for a free one")
        for name, value in asdict(self).items():
            if name != "port" and isinstance(value, int | float) and not 0 < value < float("inf"):
                raise SettingsError(f"{name} is {value}", advice=f"give {name} a number above 0")


def is_loopback(address: str) -> bool:
    """Whether only this machine can reach the IP address."""
    return ip_address(address.partition("%")[0]).is_loopback


def check_reachable_by(options: HttpOptions, address: str) -> None:
    """Refuses to listen where other machines can reach the server without a token.

    Args:
        address: the IP address that `options.host` resolves to.

    Raises:
        SettingsError: it is not loopback and there is no token.
    """
    # Whoever reaches the server can run code in the sandbox and write tests.
    if options.token is None and not is_loopback(address):
        raise SettingsError(
            f"others could reach {options.host}, and no token keeps them out",
            advice="put a token into an environment variable and name it with --token-env, or listen on 127.0.0.1",
        )
