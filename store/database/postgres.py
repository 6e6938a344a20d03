"""The run database in PostgreSQL, shared by several machines: what is stored is the same as in SQLite."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar
from urllib.parse import urlsplit

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError, PendingRollbackError
from sqlalchemy.exc import TimeoutError as NoConnectionError
from sqlalchemy.pool import NullPool

from ...core.errors import RunLocked, SettingsError, StoreCorrupt, StoreUnreachable
from .checkpoint_places import CheckpointTables
from .pooler import require_sessions
from .postgres_errors import corrupt_error, database_error, is_busy, is_temporary

T = TypeVar("T")
_CONNECT_SECONDS = 10
_STATEMENT = "60s"
_LOCK = "30s"
_IDLE = "60s"
WAITS = (0.1, 0.5, 2.0, 5.0)
"""Seconds before a transaction whose connection was lost is made again: a server needs a few to restart."""
_LIVELY = {"keepalives_idle": 20, "keepalives_interval": 5, "keepalives_count": 3}
"""After so many seconds a peer that is gone without a word counts as gone."""
_SESSION = (
    f"SET statement_timeout = '{_STATEMENT}'; SET lock_timeout = '{_LOCK}';"
    f"SET idle_in_transaction_session_timeout = '{_IDLE}'"
)
_LEASE_SESSION = "SET tcp_keepalives_idle = 20; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"
"""The server ends the session of a machine that is gone, and so its leases, after 35 seconds."""
_HOLDERS = """
SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND ((classid::bigint << 32) | objid::bigint) = :key
"""
_HELD = """
SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks
WHERE locktype = 'advisory' AND granted AND objsubid = 1
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
_CHECKPOINT_TABLES = ("checkpoint_writes", "checkpoint_blobs", "checkpoints")
INSTALL = "pip install 'testwright[postgres]', or go without --store: SQLite then keeps the runs."


class PostgresDatabase:
    """The opened database; see `Database` for its methods."""

    def __init__(self, place: CheckpointTables) -> None:
        self._place = place
        self._engine = _engine(place, pool_size=5, max_overflow=5, pool_pre_ping=True, pool_timeout=_CONNECT_SECONDS)
        self._leases: dict[str, _Lease] = {}
        self._leasing = threading.Lock()

    @classmethod
    def open(cls, url: str) -> PostgresDatabase:
        """Open the database, creating or migrating its tables where needed; errors as of `Store.open_url`."""
        try:
            import langgraph.checkpoint.postgres  # noqa: F401
            import psycopg  # noqa: F401
        except ImportError as error:
            raise SettingsError(
                "A store in PostgreSQL needs the packages psycopg and langgraph-checkpoint-postgres, and libpq; "
                f"{str(error).splitlines()[0]}.",
                advice=INSTALL,
            ) from error
        database = cls(CheckpointTables(url, _without_secrets(url)))
        try:
            database._bring_up_to_date()
        except BaseException:  # whatever it was, nobody else holds the database to close it
            database.close()
            raise
        return database

    @property
    def checkpoints(self) -> CheckpointTables:
        """Where the checkpoints are: in tables of the same schema."""
        return self._place

    def remove_checkpoints(self, run_id: str, thread: str) -> None:
        """See `Database.remove_checkpoints`."""
        chosen = {"thread": thread, "steps": f"{thread}:"}

        def remove(connection: Connection) -> None:
            for table in _CHECKPOINT_TABLES:
                condition = "thread_id = :thread OR starts_with(thread_id, :steps)"
                connection.execute(text(f"DELETE FROM {table} WHERE {condition}"), chosen)

        self.write(remove)

    def read(self, work: Callable[[Connection], T], what: str = "a row") -> T:
        """See `Database.read`."""
        try:
            return self.write(work)
        except (ValueError, TypeError, RecursionError) as error:
            raise self.damaged(f"{what} does not read ({error})") from error

    def write(self, work: Callable[[Connection], T], *, repeatable: bool = True) -> T:
        """See `Database.write`."""
        for wait in WAITS:
            try:
                return self._once(work, repeatable)
            except _NothingStored:
                time.sleep(wait)
                self._keep_leases()
        try:
            return self._once(work, repeatable)
        except _NothingStored as lost:
            raise database_error(lost.__cause__, self._place.shown) from lost.__cause__

    def damaged(self, what: str) -> StoreCorrupt:
        """See `Database.damaged`."""
        return corrupt_error(self._place.shown, what)

    @contextmanager
    def holding(self, run_id: str, *, shared: bool = False) -> Iterator[None]:
        """See `Database.holding`. A lease ends with its connection, so with the process, or 35 seconds after it."""
        with self._typed_errors():
            lease = _Lease(self._place, run_id, shared)
        self._leases[run_id] = lease
        try:
            yield
        finally:
            with self._leasing:
                self._leases.pop(run_id).release()

    def held(self, run_ids: Collection[str]) -> frozenset[str]:
        """See `Database.held`."""
        from .postgres_schema import lock_keys

        def find(connection: Connection) -> frozenset[str]:
            locks = set(connection.execute(text(_HELD)).scalars())
            keys = lock_keys(connection, [_lease_name(run_id) for run_id in run_ids])
            return frozenset(run_id for run_id in run_ids if keys[_lease_name(run_id)] in locks)

        return self.read(find)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def _bring_up_to_date(self) -> None:
        from .postgres_schema import bring_up_to_date

        for wait in (*WAITS, None):
            try:
                with self._typed_errors():
                    require_sessions(self._engine, self._place.shown)
                    bring_up_to_date(self._engine, self._place.shown)
                return
            except StoreUnreachable as error:
                # A server that is away when a command begins is told at once.
                if wait is None or not is_busy(error.__cause__ and getattr(error.__cause__, "orig", None)):
                    raise
                time.sleep(wait)

    def _once(self, work: Callable[[Connection], T], repeatable: bool) -> T:
        """One transaction. Raises _NothingStored where it may be made again."""
        is_committing = False
        try:
            with self._engine.connect() as connection:
                # The pool puts a new connection in the place of a lost one and says nothing: leases may be lost, too.
                if "leases_kept" not in connection.info and self._keep_leases():
                    connection.info["leases_kept"] = True
                transaction = connection.begin()
                result = work(connection)
                is_committing = True
                transaction.commit()
                return result
        except NoConnectionError as error:
            raise _NothingStored from error
        except DBAPIError as error:
            if not is_temporary(error.orig):
                raise database_error(error.orig, self._place.shown) from error
            if is_committing and not repeatable:
                raise StoreUnreachable(
                    f"The connection to {self._place.shown} was lost while something was being stored: nobody can say "
                    "whether it was.",
                    advice="`testwright runs list` shows what is stored; then repeat the command, or resume the run.",
                ) from error
            raise _NothingStored from error.orig

    def _keep_leases(self) -> bool:
        """Take again what was held by connections that are gone; whether all is held.

        Raises:
            RunLocked: another process has it now.
        """
        lost = False
        with self._leasing:
            for run_id, lease in list(self._leases.items()):
                if not lease.is_held():
                    lease.release()
                    try:
                        self._leases[run_id] = _Lease(self._place, run_id, lease.shared)
                    except DBAPIError:  # the server is still away, and the next transaction tries again
                        lost = True
        return not lost

    @contextmanager
    def _typed_errors(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise database_error(error.orig, self._place.shown) from error


class _NothingStored(Exception):
    """The connection was lost before anything was decided, or what was decided may be decided again."""


class _Lease:
    """A lease of a run: an advisory lock of a session of its own. Raises RunLocked, DBAPIError."""

    def __init__(self, place: CheckpointTables, run_id: str, shared: bool) -> None:
        from .postgres_schema import lock_keys

        self.shared = shared
        self._engine = _engine(place, poolclass=NullPool)
        self._connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        try:
            self._connection.execute(text(_LEASE_SESSION))
            name = _lease_name(run_id)
            key = {"key": lock_keys(self._connection, [name])[name]}
            take = "pg_try_advisory_lock_shared" if shared else "pg_try_advisory_lock"
            if not self._connection.execute(text(f"SELECT {take}(:key)"), key).scalar_one():
                holder = self._connection.execute(text(_HOLDERS), key).scalar()
                raise _locked(run_id, holder, place.shown)
        except BaseException:  # whatever it was, nobody else holds the connection to close it
            self.release()
            raise

    def is_held(self) -> bool:
        """Whether the session, and with it the lock, is still there."""
        if self._connection.closed:
            return False
        try:
            self._connection.execute(text("SELECT 1"))
        except DBAPIError:
            return False
        return True

    def release(self) -> None:
        """Give the lock back and end the session; a pooler ends its own session later than ours."""
        with suppress(DBAPIError, PendingRollbackError):  # a session that was lost has given it back
            if not self._connection.closed:
                self._connection.execute(text("SELECT pg_advisory_unlock_all()"))
        with suppress(DBAPIError):
            self._connection.close()
        self._engine.dispose()


def _lease_name(run_id: str) -> str:
    return f"run {run_id}"


def _locked(run_id: str, holder: str | None, shown: str) -> RunLocked:
    who = f"{holder}" if holder else "another process"
    return RunLocked(
        f"The run {run_id} is being worked on by {who}, which holds it in {shown}.",
        advice="Wait until it has finished. A process that has died holds nothing after half a minute.",
        details={"holder": holder or "", "store": shown},
    )


def _without_secrets(url: str) -> str:
    parts = urlsplit(url)
    place = parts.netloc.rpartition("@")
    user = f"{place[0].partition(':')[0]}@" if place[0] else ""
    return f"postgresql://{user}{place[2]}{parts.path}"


def _engine(place: CheckpointTables, **options: Any) -> Engine:
    import psycopg

    name = f"testwright {os.getpid()} on {socket.gethostname()}"[:63]

    def connect() -> Any:
        given = {"connect_timeout": _CONNECT_SECONDS, "application_name": name, "client_encoding": "utf8"}
        return psycopg.connect(place.conninfo, **{**_LIVELY, **given})

    engine = create_engine("postgresql+psycopg://", creator=connect, **options)
    event.listen(engine, "connect", _prepare)
    return engine


def _prepare(connection: Any, _record: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_SESSION)
    connection.commit()
