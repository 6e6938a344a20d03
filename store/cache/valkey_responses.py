"""Caches tool results in Valkey or Redis, shared by several machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from ...core.errors import SettingsError
from .responses import LARGEST, ResponsesLost, sealed, unsealed

_PREFIX = "testwright:responses:2:"
_KEPT_SECONDS = 30 * 24 * 3600
_WAIT_SECONDS = 10.0


class ValkeyServer:
    """A database of a Valkey or Redis server.

    Args:
        url: may contain a password; no message shows it.

    Raises:
        SettingsError: the client library is not installed, or the URL is not understood.
        ResponsesLost: the server cannot be reached, or refuses the credentials.
    """

    def __init__(self, url: str) -> None:
        try:
            import valkey
        except ImportError as error:
            raise SettingsError(
                "A cache in Valkey or Redis needs the package valkey, which is not installed.",
                advice="pip install 'testwright[valkey]', or go without --cache-url: a file then keeps the answers.",
            ) from error
        self._faults: tuple[type[Exception], ...] = (valkey.ValkeyError, OSError)
        self._where = _without_secrets(url)
        try:
            self._client: Any = valkey.Valkey.from_url(
                url,
                socket_timeout=_WAIT_SECONDS,
                socket_connect_timeout=_WAIT_SECONDS,
                retry=None,
                retry_on_timeout=False,
                client_name="testwright",
            )
        except ValueError as error:
            raise SettingsError(
                f"The URL of the cache, {self._where}, is not understood.",
                advice="Its form is redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE], or unix:///path/to/socket.",
            ) from error
        self.call("ping")

    def close(self) -> None:
        """Close the connections. Raises nothing."""
        try:
            self._client.close()
        except self._faults:
            return

    def call(self, command: str, *arguments: Any, **options: Any) -> Any:
        """The server's answer to a command, as the client's method of that name returns it. Raises ResponsesLost."""
        try:
            return getattr(self._client, command)(*arguments, **options)
        except self._faults as error:
            # The message may contain the URL with its password, so only the error's type is shown.
            raise ResponsesLost(f"{self._where} does not serve ({type(error).__name__})") from None


class ValkeyResponses:
    """Answers in a Valkey or Redis server; one expires 30 days after its last use.

    Args:
        url: as of `ValkeyServer`, which also says what is raised.
    """

    def __init__(self, url: str) -> None:
        self._server = ValkeyServer(url)

    def get(self, key: str) -> bytes | None:
        """See `Responses.get`."""
        held = self._server.call("getex", _PREFIX + key, ex=_KEPT_SECONDS)
        return unsealed(key, held) if isinstance(held, bytes) else None

    def put(self, key: str, body: bytes) -> None:
        """See `Responses.put`."""
        if len(body) <= LARGEST:
            self._server.call("set", _PREFIX + key, sealed(key, body), ex=_KEPT_SECONDS)

    def close(self) -> None:
        """See `Responses.close`."""
        self._server.close()


def reached_server(url: str, without: str, warn: Callable[[str], None]) -> ValkeyServer | None:
    """A server that counts for several processes; None, with a warning, where it cannot be reached.

    Args:
        without: what is missing then, a sentence without its full stop.

    Raises:
        SettingsError: as of `ValkeyServer`.
    """
    try:
        return ValkeyServer(url)
    except ResponsesLost as error:
        warn(f"{without}: {error}.")
        return None


def _without_secrets(url: str) -> str:
    parts = urlsplit(url)
    place = parts.netloc.rpartition("@")[2] or parts.path
    return f"{parts.scheme}://{place}"
