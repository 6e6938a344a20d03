"""Opens the run database, which holds runs, artifacts and answers: a SQLite file, or PostgreSQL by its URL."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from ..files.run_folder import request_id_of
from .answers import ModelAnswers
from .artifacts import Artifacts
from .checkpoint_places import CheckpointPlace
from .runs import Runs
from .sqlite import SqliteDatabase
from .transactions import Database

T = TypeVar("T")


class Store:
    """The opened database. Thread-safe; other processes may use it at the same time.

    Attributes:
        runs: the runs and how they ended.
        artifacts: payloads handed from agent to agent.
        answers: complete model answers.
    """

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self.runs = Runs(database, clock)
        self.artifacts = Artifacts(database, clock)
        self.answers = ModelAnswers(database, clock)

    @classmethod
    def open(cls, folder: Path, *, clock: Callable[[], float] = time.time, makes: bool = True) -> Store:
        """Open the SQLite database in a folder, creating its tables where needed.

        Args:
            folder: one that this user's testwright or a person has chosen.
            makes: make folder and database where they are missing; False for an empty one in memory then.

        Raises:
            StoreCorrupt: the file is no database of ours, or damaged; it is left as it is.
            StateVersionError: a newer version wrote it.
            StoreFull, StorageError: it cannot be written.
            RunLocked: another process has been migrating it for 30 seconds.
        """
        return cls(SqliteDatabase.open(folder, makes=makes), clock=clock)

    @classmethod
    def open_url(cls, url: str, *, clock: Callable[[], float] = time.time) -> Store:
        """Open a PostgreSQL database, creating or migrating its tables where needed.

        Args:
            url: `postgresql://[USER@]HOST[:PORT]/DATABASE[?PARAMETER=VALUE]`; the password is libpq's to find
                (PGPASSWORD, PGPASSFILE).

        Raises:
            SettingsError: the extra `postgres` is not installed, or the URL is not understood.
            StoreUnreachable, StoreAccessDenied, StateVersionError, RunLocked, StorageError.
        """
        from .postgres import PostgresDatabase  # its driver is an extra

        return cls(PostgresDatabase.open(url), clock=clock)

    @property
    def checkpoints(self) -> CheckpointPlace:
        """Where the checkpoints of its runs are."""
        return self._database.checkpoints

    def remove_run(self, run_id: str) -> None:
        """Delete a run with its artifacts, answers and checkpoints; harmless when it is unknown."""
        self.runs.remove(run_id)
        self._database.remove_checkpoints(run_id, request_id_of(run_id))

    def read(self, work: Callable[[Connection], T], what: str = "a row") -> T:
        """See `Transactions.read`."""
        return self._database.read(work, what)

    def write(self, work: Callable[[Connection], T], *, repeatable: bool = True) -> T:
        """See `Transactions.write`."""
        return self._database.write(work, repeatable=repeatable)

    def holding(self, run_id: str, *, shared: bool = False) -> AbstractContextManager[None]:
        """See `Database.holding`."""
        return self._database.holding(run_id, shared=shared)

    def held(self, run_ids: Collection[str]) -> frozenset[str]:
        """See `Database.held`."""
        return self._database.held(run_ids)

    def close(self) -> None:
        """Close all connections."""
        self._database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_ending: object) -> None:
        self.close()
