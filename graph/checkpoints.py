"""Stores checkpoints in SQLite or PostgreSQL, from which a run is resumed after its process ended."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import aiosqlite
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from ..core.errors import StoreCorrupt
from ..store.database.bounded_connection import MOST_PAGES, BoundedConnection
from ..store.database.checkpoint_places import CheckpointFiles, CheckpointPlace
from ..store.database.sqlite_errors import database_error
from ..store.database.sqlite_schema import SAFE_SCHEMA, SCHEMA_QUERY, journal_refusal, schema_refusal

_BUSY_MILLISECONDS = 10_000


class RunCheckpoints(AsyncSqliteSaver):
    """Adds pruning to the SQLite saver: each checkpoint holds the whole state, so only the last is needed."""

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete all checkpoints of threads but the latest of each namespace, or all of them ("delete").

        In one transaction. Our states have no delta channels, whose values would need the earlier checkpoints.
        """
        for thread_id in thread_ids:
            if strategy == "delete":
                await self.adelete_thread(thread_id)
                continue
            async with self.lock:
                for table in ("writes", "checkpoints"):
                    await self.conn.execute(_KEEP_LATEST.format(table=table), (thread_id, thread_id))
                await self.conn.commit()


_KEEP_LATEST = """
DELETE FROM {table} WHERE thread_id = ? AND (checkpoint_ns, checkpoint_id) NOT IN (
    SELECT checkpoint_ns, MAX(checkpoint_id) FROM checkpoints WHERE thread_id = ? GROUP BY checkpoint_ns
)
"""


@asynccontextmanager
async def open_run_checkpoints(place: CheckpointPlace, run_id: str) -> AsyncIterator[BaseCheckpointSaver[str]]:
    """Open the checkpoints of a run, wherever its database has them; errors as of the functions for each."""
    if isinstance(place, CheckpointFiles):
        async with open_checkpoints(place.of(run_id)) as files:
            yield files
    else:
        from .postgres_checkpoints import open_postgres_checkpoints  # its driver is an extra

        async with open_postgres_checkpoints(place) as tables:
            yield tables


@asynccontextmanager
async def open_checkpoints(path: Path) -> AsyncIterator[RunCheckpoints]:
    """Open the checkpoints of a run for the duration of the block.

    Only plain data is deserialised: the serializer is strict, as with LANGGRAPH_STRICT_MSGPACK=true, whatever the
    environment sets. Every write is on disk before the next node begins (SQLite's full sync). Only the run's own
    process uses the file. No statement on it takes longer or returns more than is bounded, whatever the file holds.

    Raises:
        StoreCorrupt: the file is not a database, or a damaged one; also from within the block.
        StoreFull, StorageError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if refusal := journal_refusal(path):
        raise _unreadable(path, refusal)
    async with aiosqlite.connect(path, factory=BoundedConnection) as connection:
        saver = RunCheckpoints(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
        try:
            await connection.execute(f"PRAGMA busy_timeout={_BUSY_MILLISECONDS}")
            await connection.execute(SAFE_SCHEMA)
            rows = await connection.execute_fetchall(SCHEMA_QUERY)
            if refusal := schema_refusal((tuple(row) for row in rows), ("checkpoints", "writes")):
                raise _unreadable(path, refusal)
            await connection.execute(f"PRAGMA max_page_count={MOST_PAGES}")
            await connection.execute("PRAGMA synchronous=FULL")
            await saver.setup()
            yield saver
        except sqlite3.DatabaseError as error:
            failure = database_error(error, path)
            if not isinstance(failure, StoreCorrupt):
                raise failure from error
            is_endless = error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT
            why = "reading it does not come to an end" if is_endless else str(error)
            raise _unreadable(path, why) from error


def _unreadable(path: Path, why: str) -> StoreCorrupt:
    return StoreCorrupt(
        f"the checkpoints {path} cannot be read: {why}",
        advice="The file is left as it is. Start the request as a new run.",
        details={"path": str(path)},
    )
