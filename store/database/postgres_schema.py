"""Brings a PostgreSQL database to the schema of this version, one process at a time.

The version is the only row of `testwright_schema`. LangGraph's tables of checkpoints have a version of their own, which
its saver brings forward. A role that may only read and write rows opens a database that is up to date.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

from langgraph.checkpoint.postgres import PostgresSaver
from sqlalchemy import Connection, Engine, text

from ...core.errors import RunLocked, StateVersionError
from . import tables

BUSY_SECONDS = 30.0
_LOOK_SECONDS = 0.05


def _create_first_tables(connection: Connection) -> None:
    tables.metadata.create_all(connection)


STEPS: tuple[Callable[[Connection], None], ...] = (_create_first_tables,)
"""Step N leads from schema version N to N + 1; version 0 is a database without our tables."""


def lock_keys(connection: Connection, names: Collection[str]) -> dict[str, int]:
    """The numbers of advisory locks by name: names are per schema, while a database's locks are one set of numbers."""
    schema = connection.execute(text("SELECT current_schema()")).scalar_one()
    digests = {name: hashlib.sha256(f"testwright\n{schema}\n{name}".encode()).digest() for name in names}
    return {name: int.from_bytes(digest[:8], "big", signed=True) for name, digest in digests.items()}


def bring_up_to_date(engine: Engine, shown: str) -> None:
    """Create what is missing, and migrate what is older.

    Raises:
        StateVersionError: a newer version has written the database; it is left as it is.
        RunLocked: another process has been migrating it for 30 seconds.
        DBAPIError: it cannot be read or written, or the role may not create tables.
    """
    with engine.connect() as connection:
        if _is_current(connection, shown):
            return
    # Outside of transactions: LangGraph's migrations create indexes concurrently, which cannot be done in one.
    with engine.connect() as connection, _alone(connection.execution_options(isolation_level="AUTOCOMMIT"), shown):
        version = _version(connection, shown)
        if version < len(STEPS):
            with engine.begin() as transaction:
                for step in STEPS[version:]:
                    step(transaction)
                _record(transaction, len(STEPS))
        if _checkpoints_version(connection) < len(PostgresSaver.MIGRATIONS) - 1:
            _migrate_checkpoints(connection)


def _is_current(connection: Connection, shown: str) -> bool:
    is_latest = _version(connection, shown) == len(STEPS)
    return is_latest and _checkpoints_version(connection) >= len(PostgresSaver.MIGRATIONS) - 1


def _version(connection: Connection, shown: str) -> int:
    version = 0
    if _has_table(connection, "testwright_schema"):
        version = connection.execute(text("SELECT max(version) FROM testwright_schema")).scalar_one() or 0
    if version > len(STEPS):
        raise StateVersionError(
            f"The run database {shown} has schema version {version}, which this version of testwright does not know.",
            advice="Upgrade testwright, or name another database with --store. It was left as it is.",
            details={"revision": str(version), "known": str(len(STEPS))},
        )
    return version


def _checkpoints_version(connection: Connection) -> int:
    if not _has_table(connection, "checkpoint_migrations"):
        return -1
    found = connection.execute(text("SELECT max(v) FROM checkpoint_migrations")).scalar_one()
    return -1 if found is None else found


def _has_table(connection: Connection, name: str) -> bool:
    return connection.execute(text("SELECT to_regclass(:name)"), {"name": name}).scalar_one() is not None


def _record(connection: Connection, version: int) -> None:
    connection.execute(text("CREATE TABLE IF NOT EXISTS testwright_schema (version integer NOT NULL)"))
    connection.execute(text("DELETE FROM testwright_schema"))
    connection.execute(text("INSERT INTO testwright_schema VALUES (:version)"), {"version": version})


def _migrate_checkpoints(connection: Connection) -> None:
    from psycopg.rows import dict_row

    driver: Any = connection.connection.driver_connection
    factory, driver.row_factory = driver.row_factory, dict_row
    try:
        PostgresSaver(driver).setup()
    finally:
        driver.row_factory = factory


@contextmanager
def _alone(connection: Connection, shown: str) -> Iterator[None]:
    """Hold the lock of migrations. Asked for again and again: a statement that waits keeps indexes from being built."""
    key = {"key": lock_keys(connection, ["migrations"])["migrations"]}
    deadline = time.monotonic() + BUSY_SECONDS
    while not connection.execute(text("SELECT pg_try_advisory_lock(:key)"), key).scalar_one():
        if time.monotonic() > deadline:
            raise RunLocked(
                f"Another process has been preparing {shown} for {BUSY_SECONDS:.0f} seconds.",
                advice="Wait for it; the connection that holds it is in pg_locks, as an advisory lock.",
            )
        time.sleep(_LOOK_SECONDS)
    try:
        yield
    finally:
        connection.execute(text("SELECT pg_advisory_unlock(:key)"), key)
