"""Checkpoints in SQLite: what makes a run survive the end of its process (B-08)."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiosqlite
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from ..errors import StoreCorrupt


@asynccontextmanager
async def open_checkpoints(path: Path) -> AsyncIterator[AsyncSqliteSaver]:
    """The checkpoints of a run, for as long as the block lasts.

    Only plain data is read back: the serializer is told to be strict, which is what LANGGRAPH_STRICT_MSGPACK=true asks
    of it, whatever the environment says. Every write is on disk before the next node begins (SQLite's full sync).

    Raises:
        StoreCorrupt: the file is no database, or a damaged one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    async with aiosqlite.connect(path) as connection:
        saver = AsyncSqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
        try:
            await connection.execute("PRAGMA busy_timeout=30000")
            await connection.execute("PRAGMA synchronous=FULL")
            await saver.setup()
        except sqlite3.DatabaseError as error:
            raise StoreCorrupt(
                f"the checkpoints {path} cannot be read: {error}",
                advice="The file is left as it is. Start the request as a new run.",
                details={"path": str(path)},
            ) from error
        yield saver
