"""Checks the settings that are URLs: none may hold a secret, since settings are stored."""

from __future__ import annotations

import os
from urllib.parse import parse_qsl, urlsplit

from ..utils.redact import Redactor

_CACHES = ("valkey", "valkeys", "redis", "rediss", "unix")
_SECRET_PARAMETERS = frozenset({"password", "sslpassword"})


def checked_endpoint(value: str | None) -> str | None:
    """The URL of an endpoint, without a slash at its end. Raises ValueError."""
    if value is None:
        return None
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("must be the URL of an endpoint, such as http://localhost:8000/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("must be a plain URL: a key belongs into TESTWRIGHT_API_KEY, settings are stored")
    _ = parts.port  # reading it raises ValueError for what no port can be
    return value.rstrip("/")


def checked_store(value: str | None) -> str | None:
    """The URL of a PostgreSQL database, in the form of libpq ("Connection URIs"); None for an empty one.

    Raises:
        ValueError: it is no such URL, or has a password; the message does not show it.
    """
    if not value:
        return None
    parts = urlsplit(value)
    parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
    if parts.scheme not in ("postgresql", "postgres") or not (parts.path.strip("/") or "dbname" in parameters):
        raise ValueError("must be the URL of a database, such as postgresql://USER@HOST/DATABASE")
    if parts.password is not None or not _SECRET_PARAMETERS.isdisjoint(parameters):
        raise ValueError(
            "must have no password, settings are stored: it is read from PGPASSWORD or a file (PGPASSFILE)"
        )
    _ = parts.port  # reading it raises ValueError for what no port can be
    return value


def checked_cache(value: str | None) -> str | None:
    """The URL of a cache; None for an empty one. Raises ValueError."""
    if not value:
        return None
    parts = urlsplit(value)
    if parts.scheme not in _CACHES:
        raise ValueError(f"must begin with {', '.join(f'{cache}://' for cache in _CACHES)}")
    if Redactor.from_environment(os.environ).text(value) != value:
        raise ValueError("a password has to come from the environment, settings are stored: write ${NAME} for it")
    return value
