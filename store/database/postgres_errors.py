"""Converts PostgreSQL's errors into ours, by their SQLSTATE; a failed connection has none, only a text of libpq."""

from __future__ import annotations

from ...core.errors import (
    RunLocked,
    SettingsError,
    StorageError,
    StoreAccessDenied,
    StoreCorrupt,
    StoreFull,
    StoreUnreachable,
)
from .pooler import is_pooled, pooled_error

_LONGEST_MESSAGE = 200
_PASSWORD_ADVICE = (
    "Check the user in the URL, and PGPASSWORD or the file that PGPASSFILE names; docs/databases.md has the roles."
)
_ROLE_ADVICE = "Let a role that may do this prepare the database once; docs/databases.md says which rights it needs."
_AWAY_ADVICE = "Check that the server runs and can be reached, then go on with `testwright resume`."
_FULL_ADVICE = "Make room on the server, then go on with `testwright resume`."
_READ_ONLY_ADVICE = "Name the primary server, or let the role write; docs/databases.md has the roles."

_LOST = ("08", "57P01", "57P02", "57P03", "25P03")
"""Connection exceptions, a server that shuts down, crashed or starts, a transaction that idled too long."""
_BUSY = ("53300", "40001", "40P01")
"""Too many connections, a serialization failure, a deadlock: the transaction was rolled back as a whole."""
_REFUSED = ("28", "42501", "3F000")
_DAMAGED = ("XX001", "XX002", "42P01", "42703")

# libpq's words for what the server refused before there was a session.
_REFUSING_WORDS = ("password authentication failed", "no password supplied", "pg_hba.conf", "authentication failed")
_MISSING_WORDS = ('" does not exist',)
_SETTING_WORDS = ("invalid connection option", "invalid URI", "invalid sslmode", "invalid port", "invalid percent")
_BUSY_WORDS = ("too many clients", "too many connections", "remaining connection slots", "is starting up")


def database_error(error: BaseException | None, shown: str) -> StorageError | SettingsError:
    """The typed form of a driver's error about the database at `shown`."""
    state = getattr(error, "sqlstate", None) or ""
    message = _first_line(error)
    details: dict[str, object] = {"store": shown, "sqlstate": state}
    if not state and _has(message, _SETTING_WORDS):
        return SettingsError(f"The URL of the store is not understood: {message}.", advice="See docs/databases.md.")
    if state.startswith("28") or (not state and _has(message, _REFUSING_WORDS)):
        return StoreAccessDenied(f"{shown} refuses the user: {message}.", advice=_PASSWORD_ADVICE, details=details)
    if state == "3D000" or (not state and _has(message, _MISSING_WORDS)):
        return StorageError(
            f"{shown} cannot be opened: {message}.",
            advice="Create the database, or the role; docs/databases.md has the commands.",
            details=details,
        )
    if state.startswith(_REFUSED):
        return StoreAccessDenied(f"{shown} does not allow this: {message}.", advice=_ROLE_ADVICE, details=details)
    if state == "53100":
        return StoreFull(f"Cannot write to {shown}: {message}.", advice=_FULL_ADVICE, details=details)
    if state == "25006":
        return StorageError(f"{shown} is read-only: {message}.", advice=_READ_ONLY_ADVICE, details=details)
    if state == "55P03":
        return RunLocked(
            f"{shown} is in use by another process: {message}.",
            advice="Wait until that process has finished.",
            details=details,
        )
    if state.startswith(_DAMAGED):
        return corrupt_error(shown, message)
    if is_pooled(error):
        return pooled_error(shown)
    if is_temporary(error):
        return StoreUnreachable(f"{shown} does not serve: {message}.", advice=_AWAY_ADVICE, details=details)
    return StorageError(f"{shown} failed: {message}.", advice="docs/databases.md says what it needs.", details=details)


def corrupt_error(shown: str, what: str) -> StoreCorrupt:
    """The error for a damaged database; it is left as it is."""
    return StoreCorrupt(
        f"The run database {shown} is damaged: {what}.",
        advice="It was left as it is. Restore it from a backup, or name another database with --store.",
        details={"store": shown},
    )


def is_temporary(error: BaseException | None) -> bool:
    """Whether nothing was decided, and another connection may do better: the old one broke, or the server was busy."""
    state = getattr(error, "sqlstate", None) or ""
    if state:
        return state.startswith((*_LOST, *_BUSY))
    message = _first_line(error)
    if _has(message, _BUSY_WORDS):
        return True
    is_refusal = _has(message, (*_REFUSING_WORDS, *_MISSING_WORDS, *_SETTING_WORDS))
    return type(error).__name__ in ("OperationalError", "ConnectionTimeout", "PoolTimeout") and not is_refusal


def is_busy(error: BaseException | None) -> bool:
    """Whether the server is there, and takes no connection at the moment."""
    return (getattr(error, "sqlstate", None) or "") == "53300" or _has(_first_line(error), _BUSY_WORDS)


def _first_line(error: BaseException | None) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    # libpq lists one attempt after the other; the server's own word is the last of the first line.
    return (lines[0] if lines else type(error).__name__)[:_LONGEST_MESSAGE].rstrip(".")


def _has(message: str, words: tuple[str, ...]) -> bool:
    return any(word in message for word in words)
