"""Refuses a pooler that gives each transaction a connection of its own: leases are locks of a session."""

from __future__ import annotations

from sqlalchemy import Connection, Engine, text

from ...core.errors import StorageError

_ADVICE = (
    "Let the pooler keep sessions (PgBouncer: `pool_mode = session`), or connect to the server itself; "
    "docs/databases.md says why."
)
_STATEMENTS = ("26000", "42P05")
"""A prepared statement that the session does not have, and one that it has already."""


def require_sessions(engine: Engine, shown: str) -> None:
    """See that each of two open connections has a session of the server for itself.

    A pooler by transaction or statement lends the session of an idle connection to the next one that asks.

    Raises:
        StorageError: they share one.
        DBAPIError: the database cannot be read.
    """
    with engine.connect() as one:
        before = _session(one)
        one.rollback()
        with engine.connect() as other:
            shared = _session(other)
            after = _session(one)
    if shared == before or after != before:
        raise pooled_error(shown)


def pooled_error(shown: str) -> StorageError:
    """The error for connections that do not keep their sessions."""
    return StorageError(
        f"{shown} is a pooler that keeps no sessions, so that two processes could work on one run.",
        advice=_ADVICE,
        details={"store": shown},
    )


def is_pooled(error: BaseException | None) -> bool:
    """Whether a statement was prepared in another session than the one that it is executed in."""
    return (getattr(error, "sqlstate", None) or "") in _STATEMENTS


def _session(connection: Connection) -> int:
    return int(connection.execute(text("SELECT pg_backend_pid()")).scalar_one())
