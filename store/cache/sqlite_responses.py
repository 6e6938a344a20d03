"""Caches tool results in one SQLite file that several processes may use at the same time."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeVar

from ..database.sqlite_schema import journal_refusal
from .responses import LARGEST, ResponsesLost, sealed, unsealed

T = TypeVar("T")
_VERSION = 2
_WAIT_SECONDS = 2.0
_SHARE_KEPT = 0.9
_ROW_BYTES = 100
_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED")
_TABLES = """
CREATE TABLE responses (key TEXT PRIMARY KEY, body BLOB NOT NULL, bytes INTEGER NOT NULL, used INTEGER NOT NULL)
    WITHOUT ROWID;
CREATE INDEX responses_used ON responses (used);
CREATE TABLE total (bytes INTEGER NOT NULL);
INSERT INTO total VALUES (0);
CREATE TRIGGER added AFTER INSERT ON responses BEGIN UPDATE total SET bytes = bytes + new.bytes; END;
CREATE TRIGGER removed AFTER DELETE ON responses BEGIN UPDATE total SET bytes = bytes - old.bytes; END;
"""


class SqliteResponses:
    """Least recently used cache in one file.

    A file found damaged on opening is replaced. One that another process locks too long counts as empty for that call.
    Times of last use are written with the next stored result and on closing.

    Args:
        path: the file; its folder is made.
        most_bytes: maximum size of all results together.

    Raises:
        ResponsesLost: it cannot be opened.
    """

    def __init__(self, path: Path, most_bytes: int) -> None:
        self._path = path
        self._most = most_bytes
        self._lock = threading.Lock()
        self._used: dict[str, int] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection: sqlite3.Connection | None = self._opened()
        except (OSError, sqlite3.Error) as error:
            raise ResponsesLost(f"{path.name} cannot be opened ({error})") from error

    def get(self, key: str) -> bytes | None:
        """See `Responses.get`."""

        def find(connection: sqlite3.Connection) -> bytes | None:
            row = connection.execute("SELECT body FROM responses WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            body = unsealed(key, bytes(row[0]))
            if body is None:
                connection.execute("DELETE FROM responses WHERE key = ?", (key,))
            else:
                self._used[key] = time.time_ns()
            return body

        return self._with(find)

    def put(self, key: str, body: bytes) -> None:
        """See `Responses.put`."""
        if len(body) > min(LARGEST, self._most // 4):
            return

        def insert(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            try:
                self._write_used(connection)
                connection.execute("DELETE FROM responses WHERE key = ?", (key,))
                connection.execute(
                    "INSERT INTO responses VALUES (?, ?, ?, ?)",
                    (key, sealed(key, body), len(body) + len(key) + _ROW_BYTES, time.time_ns()),
                )
                self._make_room(connection)
                connection.execute("COMMIT")
            except BaseException:  # also an interruption: an open transaction would lock the file for other processes
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

        self._with(insert)

    def close(self) -> None:
        """See `Responses.close`."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                with suppress(sqlite3.Error):
                    self._write_used(connection)
                with suppress(sqlite3.Error):
                    connection.close()

    def _with(self, act: Callable[[sqlite3.Connection], T]) -> T | None:
        with self._lock:
            if self._connection is None:
                return None
            try:
                return act(self._connection)
            except sqlite3.Error as error:
                if getattr(error, "sqlite_errorname", "").startswith(_BUSY):
                    return None
                raise ResponsesLost(f"{self._path.name} cannot be used ({error})") from error

    def _write_used(self, connection: sqlite3.Connection) -> None:
        rows = [(when, key) for key, when in self._used.items()]
        connection.executemany("UPDATE responses SET used = ? WHERE key = ?", rows)
        self._used.clear()

    def _make_room(self, connection: sqlite3.Connection) -> None:
        """Above the limit, delete the least recently used until a tenth is free, so that not every insert deletes."""
        excess = connection.execute("SELECT bytes FROM total").fetchone()[0] - self._most
        if excess <= 0:
            return
        excess += int(self._most * (1 - _SHARE_KEPT))
        doomed: list[tuple[str]] = []
        for key, size in connection.execute("SELECT key, bytes FROM responses ORDER BY used"):
            if excess <= 0:
                break
            doomed.append((key,))
            excess -= size
        connection.executemany("DELETE FROM responses WHERE key = ?", doomed)

    def _opened(self) -> sqlite3.Connection:
        try:
            return self._connected()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            for ending in ("", "-journal", "-wal", "-shm"):
                self._path.with_name(self._path.name + ending).unlink(missing_ok=True)
            return self._connected()

    def _connected(self) -> sqlite3.Connection:
        if refusal := journal_refusal(self._path):
            raise sqlite3.DatabaseError(refusal)
        connection = sqlite3.connect(self._path, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            schema = _schema_of(connection)
            # A file of a clone may have views or triggers that never end or lie.
            if schema and schema != _own_schema():
                raise sqlite3.DatabaseError("it has a schema of others")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            if connection.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
                self._make_tables(connection)
            connection.execute("SELECT bytes FROM total").fetchone()
        except BaseException:  # whatever it was, nobody else holds the connection to close it
            connection.close()
            raise
        return connection

    def _make_tables(self, connection: sqlite3.Connection) -> None:
        """Create the tables in one transaction: another process may be creating them too."""
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
            connection.execute("DROP TABLE IF EXISTS responses")
            connection.execute("DROP TABLE IF EXISTS total")
            for statement in _statements():
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        connection.execute("COMMIT")


def _schema_of(connection: sqlite3.Connection) -> set[tuple[str, str, str | None]]:
    return set(connection.execute("SELECT type, name, sql FROM sqlite_master"))


def _own_schema() -> set[tuple[str, str, str | None]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in _statements():
            connection.execute(statement)
        return _schema_of(connection)


def _statements() -> list[str]:
    """The tables' statements one by one: `executescript` would end the transaction."""
    found, held = [], ""
    for line in _TABLES.splitlines():
        held += f"{line}\n"
        if sqlite3.complete_statement(held):
            found.append(held)
            held = ""
    return found
