"""Reads addresses of sites on this machine."""

from __future__ import annotations

from urllib.parse import urlsplit

_HOSTS = ("localhost", "127.0.0.1")
_LOWEST_PORT = 1024
"""Below it, programs without privileges may not listen, as those in a sandbox do in the site's place."""


def local_origin(address: str) -> str:
    """The origin of a site on this machine, `http://127.0.0.1:8000`; "" for any other address, and without a port."""
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        port = parts.port or 0
    except ValueError:
        return ""
    host = parts.hostname or ""
    fits = parts.scheme in ("http", "https") and host.lower() in _HOSTS and parts.username is None
    return f"{parts.scheme}://{host}:{port}" if fits and port >= _LOWEST_PORT else ""
