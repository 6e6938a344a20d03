"""Checks the Host, the Origin and the bearer token of a request before anything else is read.

The SDK's `TransportSecuritySettings` cannot replace this: it compares with fixed lists (no address ranges, no "same
origin as Host"), knows no token, answers with plain text, and logs the values of refused headers.
"""

from __future__ import annotations

import hmac
import logging
from ipaddress import ip_address
from urllib.parse import urlsplit

from .asgi import App, Receive, Scope, Send, answer, header, headers
from .messages import INVALID_REQUEST, Refusal
from .options import HttpOptions, is_loopback

_LOG = logging.getLogger(__name__)


class RequestGuard:
    """Passes a request on, or answers 404, 421, 403 or 401. No header's value reaches a log.

    In a DNS rebinding attack, a web page reaches this machine under the attacker's host name, which then stands in Host
    and Origin. IP addresses cannot be rebound and are allowed.

    Args:
        address: the IP address the server listens on.
    """

    def __init__(self, app: App, options: HttpOptions, address: str) -> None:
        self._app = app
        self._options = options
        self._local_only = is_loopback(address)
        self._hosts = {name.lower().rstrip(".") for name in (options.host, *options.allowed_hosts)}
        self._origins = {origin.lower().rstrip("/") for origin in options.allowed_origins}
        self._credentials = None if options.token is None else options.token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves a request that passes the checks."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refused = self._refused(scope)
        if refused is None:
            await self._app(scope, receive, send)
            return
        status, message = refused
        client = scope.get("client") or ("unknown", 0)
        _LOG.warning("refused a request from %s with %d: %s", client[0], status, message)
        more = [(b"www-authenticate", b'Bearer realm="testwright", error="invalid_token"')] if status == 401 else []
        await answer(send, status, Refusal(INVALID_REQUEST, message), more)

    def _refused(self, scope: Scope) -> tuple[int, str] | None:
        if not self._host_allowed(headers(scope, b"host")):
            return 421, "this server does not answer to the name in the Host header; see its --allowed-host option"
        if not self._origin_allowed(scope):
            return 403, "pages of this Origin may not call this server; see its --allowed-origin option"
        if not self._token_matches(headers(scope, b"authorization")):
            return 401, "send the server's token as `Authorization: Bearer TOKEN`"
        if scope["path"] != self._options.path:
            return 404, f"the protocol is spoken at {self._options.path}"
        return None

    def _host_allowed(self, values: list[str]) -> bool:
        # Several Host headers are refused: proxies and servers disagree on which one counts.
        name = _host_name(f"//{values[0]}") if len(values) == 1 else None
        return name is not None and (name in self._hosts or self._is_this_machine(name))

    def _is_this_machine(self, name: str) -> bool:
        # No page of another machine can have this name, or an address as its name.
        if name == "localhost":
            return True
        try:
            address = ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or not self._local_only

    def _origin_allowed(self, scope: Scope) -> bool:
        values = headers(scope, b"origin")
        if not values:
            return True  # not a browser
        origin = values[0].lower().rstrip("/")
        name = _host_name(origin)
        if len(values) > 1 or name is None or urlsplit(origin).scheme not in {"http", "https"}:
            return False
        if origin in self._origins:
            return True
        is_same_origin = urlsplit(origin).netloc == (header(scope, b"host") or "").lower()
        return is_same_origin or (self._local_only and self._is_this_machine(name))

    def _token_matches(self, values: list[str]) -> bool:
        if self._credentials is None:
            return True
        kind, _, token = (values[0] if len(values) == 1 else "").partition(" ")
        # Compared in constant time.
        sent = token.strip().encode("utf-8", "surrogatepass")
        return hmac.compare_digest(sent, self._credentials) and kind.lower() == "bearer"


def _host_name(url: str) -> str | None:
    # The parser would leave tabs and the like out, and take what is left for a name.
    if not url.isprintable() or " " in url:
        return None
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises ValueError when it is no port
    except ValueError:
        return None
    if parts.username is not None or parts.path not in {"", "/"} or not parts.hostname:
        return None
    return parts.hostname.rstrip(".")
