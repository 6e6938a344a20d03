"""The interface through which runs, artifacts and answers reach the database."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import sqlite

from ...core.errors import StoreCorrupt
from .checkpoint_places import CheckpointPlace

T = TypeVar("T")


class Transactions(Protocol):
    """Transactions on the run database, with typed errors."""

    def read(self, work: Callable[[Connection], T], what: str = "a row") -> T:
        """The result of `work` in a reading transaction.

        Raises:
            StoreCorrupt: the database is damaged, or a row is: its values do not parse as `what`.
            StoreUnreachable, StorageError: it cannot be read.
        """
        ...

    def write(self, work: Callable[[Connection], T], *, repeatable: bool = True) -> T:
        """The result of `work` in a writing transaction: all of it is stored, or nothing.

        A connection that is lost before the transaction was committed has stored nothing, and `work` is called again.

        Args:
            repeatable: storing it twice is like storing it once; so `work` is called again also where a connection was
                lost while it was committed, and nobody can say whether it was.

        Raises:
            StoreUnreachable: the connection was lost for good; the message says whether anything was stored.
            StoreFull, StoreCorrupt, StorageError.
        """
        ...

    def damaged(self, what: str) -> StoreCorrupt:
        """The error for a row that is not what was stored; the database is left as it is."""
        ...


class Database(Transactions, Protocol):
    """An opened run database. Thread-safe; other processes use it at the same time."""

    @property
    def checkpoints(self) -> CheckpointPlace:
        """Where the checkpoints of its runs are."""
        ...

    def remove_checkpoints(self, run_id: str, thread: str) -> None:
        """Delete the checkpoints of a run: of this thread, and of those whose id begins with it and a colon."""
        ...

    def holding(self, run_id: str, *, shared: bool = False) -> AbstractContextManager[None]:
        """Hold a run for the block, among all machines; with others that share it, where it is shared.

        Raises:
            RunLocked: another process holds it.
        """
        ...

    def held(self, run_ids: Collection[str]) -> frozenset[str]:
        """Those of the runs that a process holds at this moment, also on another machine."""
        ...

    def close(self) -> None:
        """Close all connections."""
        ...


def insert_new(connection: Connection, table: Table, values: Mapping[str, Any]) -> bool:
    """Insert a row unless it is there by one of its unique keys; whether it was inserted."""
    if connection.dialect.name == "postgresql":
        # The package has all its drivers, which a store in SQLite need not load.
        from sqlalchemy.dialects import postgresql

        insert = postgresql.insert(table)
    else:
        insert = sqlite.insert(table)
    # Inline: else the new number comes back, and nothing says how many rows there were.
    statement = insert.values(**values).on_conflict_do_nothing().inline()
    return connection.execute(statement, execution_options={"preserve_rowcount": True}).rowcount > 0
