"""Opens the run database: SQLite with a write-ahead log, its schema version checked, its errors typed.

It holds runs, artifacts and answers; LangGraph's checkpoints are a file of their own in each run's folder. The schema
version is SQLite's `PRAGMA user_version`; a later schema adds its own step from version N to N + 1.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError

from ...core.errors import RunLocked, StateVersionError
from ..files.files import typed_errors
from ..files.run_folder import prepare_state_dir
from . import tables
from .answers import ModelAnswers
from .artifacts import Artifacts
from .runs import Runs
from .sqlite_errors import corrupt_error, database_error
from .sqlite_schema import SAFE_SCHEMA, SCHEMA_QUERY, journal_refusal, schema_refusal

DATABASE = "testwright.db"
BUSY_SECONDS = 30.0
_WRITING = "testwright_writing"
SCHEMA_VERSION = 1

# Early databases recorded their version in Alembic's table; its only revision has the tables of version 1.
_ALEMBIC_REVISIONS = {"0001": 1}


class Store:
    """The opened database. Thread-safe; other processes may use the file at the same time.

    Attributes:
        runs: the runs and how they ended.
        artifacts: payloads handed from agent to agent.
        answers: complete model answers.
    """

    def __init__(self, engine: Engine, path: Path, *, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self._engine = engine
        self.runs = Runs(self, clock)
        self.artifacts = Artifacts(self, clock)
        self.answers = ModelAnswers(self, clock)

    @classmethod
    def open(cls, state_dir: Path, *, clock: Callable[[], float] = time.time) -> Store:
        """Open `<state_dir>/testwright.db`, creating its tables where needed.

        Raises:
            StoreCorrupt: the file is no database of ours, or damaged; it is left as it is.
            StateVersionError: a newer version wrote it.
            StoreFull, StorageError: it cannot be written.
            RunLocked: another process has been migrating it for 30 seconds.
        """
        prepare_state_dir(state_dir)
        path = state_dir / DATABASE
        if refusal := journal_refusal(path):
            raise corrupt_error(path, f"{refusal}; it may have come with the project")
        store = cls(_engine(path), path, clock=clock)
        try:
            store._bring_up_to_date()
        except BaseException:  # whatever it was, nobody else holds the store to close it
            store.close()
            raise
        return store

    @contextmanager
    def reading(self, what: str = "a row") -> Iterator[Connection]:
        """A connection in a reading transaction.

        Raises:
            StoreCorrupt: the database is damaged, or a row is: its values do not parse as `what`.
            StorageError: it cannot be read.
        """
        with self._typed_errors(), self._engine.connect() as connection, connection.begin():
            try:
                yield connection
            except (ValueError, TypeError) as error:
                raise corrupt_error(self.path, f"{what} does not read ({error})") from error

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A connection in a writing transaction: all of it is stored, or nothing.

        Raises:
            StoreFull, StoreCorrupt, StorageError.
        """
        with self._typed_errors(), self._engine.connect() as connection:
            marked = connection.execution_options(**{_WRITING: True})
            with marked.begin():
                yield marked

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_ending: object) -> None:
        self.close()

    @contextmanager
    def _typed_errors(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise database_error(error.orig, self.path) from error

    def _bring_up_to_date(self) -> None:
        # The lock covers the first connection, too: switching a new file to WAL fails while another process does so.
        with self._prepared_alone():
            with self.reading() as connection:
                if is_current(connection):
                    return
            with self.writing() as connection:
                create_tables(connection)

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


def _engine(path: Path) -> Engine:
    url = URL.create("sqlite", database=str(path))
    engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS})
    event.listen(engine, "connect", lambda connection, _record: _prepare(connection, path))
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: Any, path: Path) -> None:
    connection.isolation_level = None  # the driver would begin late and commit early: `_begin` says when instead
    cursor = connection.cursor()
    try:
        cursor.execute(SAFE_SCHEMA)
        refusal = schema_refusal(cursor.execute(SCHEMA_QUERY).fetchall(), (*tables.metadata.tables, "alembic_version"))
        if refusal:
            raise corrupt_error(path, f"{refusal}, which testwright does not make; it may have come with the project")
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
    finally:
        cursor.close()


def _begin(connection: Connection) -> None:
    # A transaction that reads first and writes later would fail at once when another process wrote in between.
    writing = connection.get_execution_options().get(_WRITING, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


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
