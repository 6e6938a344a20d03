"""Stores checkpoints in PostgreSQL, beside the runs, artifacts and answers of the same store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from ..store.database.checkpoint_places import CheckpointTables
from ..store.database.postgres import WAITS
from ..store.database.postgres_errors import database_error, is_temporary
from ..store.database.tables import storable_text

T = TypeVar("T")
_CONNECTIONS = 2
_CONNECT_SECONDS = 10.0


class RunTables(AsyncPostgresSaver):
    """Makes a statement again whose connection was lost: each stores rows by their keys, so twice is like once.

    Raises:
        StoreUnreachable: the connection broke for good. Typed here, because whoever uses the checkpoints need not be
            whoever opened them.
    """

    def __init__(self, pool: AsyncConnectionPool[psycopg.AsyncConnection[DictRow]], shown: str) -> None:
        super().__init__(pool, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
        self._shown = shown

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint; its texts are in JSONB, which does not take every character."""
        values = {name: _storable(value) for name, value in checkpoint["channel_values"].items()}
        storable: Checkpoint = {**checkpoint, "channel_values": values}
        put = super().aput
        return await self._again(lambda: put(config, storable, metadata, new_versions))

    async def aput_writes(self, config: RunnableConfig, writes: Any, task_id: str, task_path: str = "") -> None:
        """Store what a task wrote."""
        put = super().aput_writes
        await self._again(lambda: put(config, writes, task_id, task_path))

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint of a thread."""
        get = super().aget_tuple
        return await self._again(lambda: get(config))

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete all of a thread."""
        delete = super().adelete_thread
        await self._again(lambda: delete(thread_id))

    async def _again(self, statement: Callable[[], Awaitable[T]]) -> T:
        for wait in (*WAITS, None):
            try:
                return await statement()
            except psycopg.Error as error:
                if wait is None or not is_temporary(error):
                    raise database_error(error, self._shown) from error
                await asyncio.sleep(wait)
        raise AssertionError


@asynccontextmanager
async def open_postgres_checkpoints(place: CheckpointTables) -> AsyncIterator[RunTables]:
    """Open the checkpoints of a database that is up to date, for the duration of the block.

    Only plain data is deserialised, as in SQLite. Every write is committed before the next node begins.

    Raises:
        StoreUnreachable: the server is away, or the connection broke for good; also from within the block.
        StoreFull, StorageError: they cannot be read or written.
    """
    settings = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    pool: AsyncConnectionPool[psycopg.AsyncConnection[DictRow]] = AsyncConnectionPool(
        place.conninfo,
        connection_class=psycopg.AsyncConnection[DictRow],
        kwargs={**settings, "application_name": "testwright checkpoints", "client_encoding": "utf8"},
        min_size=1,
        max_size=_CONNECTIONS,
        open=False,
        timeout=_CONNECT_SECONDS,
        check=_check,
    )
    try:
        async with pool:
            yield RunTables(pool, place.shown)
    except psycopg.Error as error:
        raise database_error(error, place.shown) from error


async def _check(connection: psycopg.AsyncConnection[DictRow]) -> None:
    await connection.execute("")


def _storable(value: Any) -> Any:
    return storable_text(value) if isinstance(value, str) else value
