"""The run database in one SQLite file, the default: a write-ahead log, its schema version checked, its errors typed.

LangGraph's checkpoints are a file of their own for each run, in a folder beside it. The schema version is SQLite's
`PRAGMA user_version`; a later schema adds its own step from version N to N + 1.

Only databases that were begun here are opened, or that a person names (`config/run_database.py`). One that is hostile
all the same costs bounded time and space: each transaction has a deadline, values and the file have a size.
"""

from __future__ import annotations

import math
import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock, Timeout
from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from ...core.errors import RunLocked, StateVersionError, StoreCorrupt
from ..files.files import typed_errors
from ..files.run_folder import prepare_state_dir
from . import tables
from .bounded_connection import MOST_PAGES, MOST_VALUE_BYTES, STEPS, TRANSACTION_SECONDS
from .checkpoint_places import CheckpointFiles
from .sqlite_errors import corrupt_error, database_error
from .sqlite_schema import JOURNALS, SAFE_SCHEMA, SCHEMA_QUERY, journal_refusal, schema_refusal

T = TypeVar("T")
DATABASE = "testwright.db"
_CHECKPOINTS = "checkpoints"
BUSY_SECONDS = 30.0
_DEADLINE = "testwright_deadline"
_WRITING = "testwright_writing"
SCHEMA_VERSION = 1

# Early databases recorded their version in Alembic's table; its only revision has the tables of version 1.
_ALEMBIC_REVISIONS = {"0001": 1}


class SqliteDatabase:
    """The opened file; see `Database` for its methods.

    Attributes:
        path: the file.
    """

    def __init__(self, engine: Engine, path: Path) -> None:
        self.path = path
        self._engine = engine

    @classmethod
    def open(cls, folder: Path, *, makes: bool = True) -> SqliteDatabase:
        """Open the database in a folder, creating its tables where needed; arguments and errors as of `Store.open`."""
        path = folder / DATABASE
        if not makes and not os.path.lexists(path):
            return cls._in_memory(path)
        prepare_state_dir(folder)
        if refusal := journal_refusal(path):
            raise corrupt_error(path, f"{refusal}; it may have come with the project")
        database = cls(_engine(path), path)
        try:
            database._bring_up_to_date()
        except BaseException:  # whatever it was, nobody else holds the database to close it
            database.close()
            raise
        return database

    @classmethod
    def _in_memory(cls, path: Path) -> SqliteDatabase:
        database = cls(_engine(path, in_memory=True), path)
        database.write(create_tables)
        return database

    @property
    def checkpoints(self) -> CheckpointFiles:
        """Where the checkpoints are: beside the database, where no clone can have prepared them."""
        return CheckpointFiles(self.path.parent / _CHECKPOINTS)

    def remove_checkpoints(self, run_id: str, thread: str) -> None:
        """Delete a run's checkpoints."""
        checkpoints = self.checkpoints.of(run_id)
        with typed_errors(checkpoints, "remove"):
            for ending in ("", *JOURNALS):
                checkpoints.with_name(checkpoints.name + ending).unlink(missing_ok=True)

    def read(self, work: Callable[[Connection], T], what: str = "a row") -> T:
        """See `Database.read`."""
        with self._typed_errors(), self._engine.connect() as connection, connection.begin():
            try:
                return work(connection)
            except (ValueError, TypeError, RecursionError) as error:
                raise self.damaged(f"{what} does not read ({error})") from error

    def write(self, work: Callable[[Connection], T], *, repeatable: bool = True) -> T:
        """See `Database.write`; no connection is lost to a file, so nothing is repeated."""
        with self._typed_errors(), self._engine.connect() as connection:
            marked = connection.execution_options(**{_WRITING: True})
            with marked.begin():
                return work(marked)

    def damaged(self, what: str) -> StoreCorrupt:
        """See `Database.damaged`."""
        return corrupt_error(self.path, what)

    @contextmanager
    def holding(self, run_id: str, *, shared: bool = False) -> Iterator[None]:
        """See `Database.holding`: the lock of the run's folder, on the same machine, holds it already."""
        yield

    def held(self, run_ids: Collection[str]) -> frozenset[str]:
        """See `Database.held`."""
        return frozenset()

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def _typed_errors(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise database_error(error.orig, self.path) from error

    def _bring_up_to_date(self) -> None:
        # The lock covers the first connection, too: switching a new file to WAL fails while another process does so.
        with self._prepared_alone():
            if not self.read(is_current):
                self.write(create_tables)

    @contextmanager
    def _prepared_alone(self) -> Iterator[None]:
        path = self.path.with_name(f"{DATABASE}.lock")
        lock = FileLock(path, timeout=BUSY_SECONDS)
        with typed_errors(path, "lock"):
            try:
                lock.acquire()
            except Timeout as error:
                raise RunLocked(
                    f"Another process has been preparing {self.path} for {BUSY_SECONDS:.0f} seconds.",
                    advice="Wait for it, or give another folder with --state-dir.",
                ) from error
        try:
            yield
        finally:
            lock.release()


def _engine(path: Path, *, in_memory: bool = False) -> Engine:
    if in_memory:  # there each connection is a database of its own: one serves all
        engine = create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False})
    else:
        url = URL.create("sqlite", database=str(path))
        engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS})
    event.listen(engine, "connect", lambda connection, record: _prepare(connection, record.info, path))
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: Any, facts: dict[str, Any], path: Path) -> None:
    connection.isolation_level = None  # the driver would begin late and commit early: `_begin` says when instead
    connection.text_factory = lambda text: text.decode("utf-8", "replace")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_VALUE_BYTES)
    facts[_DEADLINE] = time.monotonic() + TRANSACTION_SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > facts[_DEADLINE], STEPS)
    cursor = connection.cursor()
    try:
        cursor.execute(SAFE_SCHEMA)
        refusal = schema_refusal(cursor.execute(SCHEMA_QUERY).fetchall(), (*tables.metadata.tables, "alembic_version"))
        if refusal:
            raise corrupt_error(path, f"{refusal}, which testwright does not make; it may have come with the project")
        for pragma in (f"max_page_count={MOST_PAGES}", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
    finally:
        cursor.close()


def _begin(connection: Connection) -> None:
    # A transaction that reads first and writes later would fail at once when another process wrote in between.
    writing = connection.get_execution_options().get(_WRITING, False)
    connection.info[_DEADLINE] = math.inf  # to begin may mean to wait for another process
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
    connection.info[_DEADLINE] = time.monotonic() + TRANSACTION_SECONDS


def is_current(connection: Connection) -> bool:
    """Whether the database has the tables of this version.

    Raises:
        StateVersionError: a newer version wrote the database.
        DatabaseError: it cannot be read.
    """
    version = connection.execute(text("PRAGMA user_version")).scalar_one()
    if version == 0 and connection.dialect.has_table(connection, "alembic_version"):
        revision = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
        version = _ALEMBIC_REVISIONS.get(str(revision), revision)
    if version not in (0, SCHEMA_VERSION):
        raise StateVersionError(
            f"The run database has schema version {version}, which this version of testwright does not know.",
            advice="Upgrade testwright, or give another folder with --state-dir. The database was left as it is.",
            details={"revision": str(version), "known": str(SCHEMA_VERSION)},
        )
    return version == SCHEMA_VERSION


def create_tables(connection: Connection) -> None:
    """Create the missing tables and record the schema version, in the connection's transaction.

    Raises:
        DatabaseError: the database cannot be read or written, or the disk is full.
    """
    tables.metadata.create_all(connection)
    connection.execute(text(f"PRAGMA user_version = {SCHEMA_VERSION}"))
