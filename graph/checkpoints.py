"""Stores checkpoints in SQLite, from which a run is resumed after its process ended."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import aiosqlite
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from ..core.errors import StoreCorrupt
from ..store.database.sqlite_errors import database_error
from ..store.database.sqlite_schema import SAFE_SCHEMA, SCHEMA_QUERY, journal_refusal, schema_refusal


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
async def open_checkpoints(path: Path) -> AsyncIterator[RunCheckpoints]:
    """Open the checkpoints of a run for the duration of the block.

    Only plain data is deserialised: the serializer is strict, as with LANGGRAPH_STRICT_MSGPACK=true, whatever the
    environment sets. Every write is on disk before the next node begins (SQLite's full sync).

    Raises:
        StoreCorrupt: the file is not a database, or a damaged one.
        StoreFull, StorageError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if refusal := journal_refusal(path):
        raise _unreadable(path, refusal)
    async with aiosqlite.connect(path) as connection:
        saver = RunCheckpoints(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
        try:
            await connection.execute("PRAGMA busy_timeout=30000")
            await connection.execute(SAFE_SCHEMA)
            rows = await connection.execute_fetchall(SCHEMA_QUERY)
            if refusal := schema_refusal((tuple(row) for row in rows), ("checkpoints", "writes")):
                raise _unreadable(path, refusal)
            await connection.execute("PRAGMA synchronous=FULL")
            await saver.setup()
        except sqlite3.DatabaseError as error:
            failure = database_error(error, path)
            if not isinstance(failure, StoreCorrupt):
                raise failure from error
            raise _unreadable(path, str(error)) from error
        yield saver


def _unreadable(path: Path, why: str) -> StoreCorrupt:
    return StoreCorrupt(
        f"the checkpoints {path} cannot be read: {why}",
        advice="The file is left as it is. Start the request as a new run.",
        details={"path": str(path)},
    )
