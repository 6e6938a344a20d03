"""Stores model answers before they are used, so that a resumed run never pays for one twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, select

from . import tables
from .transactions import Transactions, insert_new


class ModelAnswers:
    """The answers of a store, keyed by run, role, attempt and prompt hash."""

    def __init__(self, access: Transactions, clock: Callable[[], float]) -> None:
        self._access = access
        self._clock = clock

    def put(self, run_id: str, role: str, attempt: int, prompt_hash: str, answer: Any) -> None:
        """Store an answer (a JSON value); a second one for the same key is ignored.

        Raises:
            StoreFull, StoreCorrupt, StorageError: also when the run is unknown.
        """
        values = {
            "run_id": run_id,
            "role": role,
            "attempt": attempt,
            "prompt_hash": prompt_hash,
            "answer": {"answer": answer},
            "created_at": self._clock(),
        }
        self._access.write(lambda connection: insert_new(connection, tables.answers, values))

    def get(self, run_id: str, role: str, attempt: int, prompt_hash: str) -> Any:
        """The stored answer, or None."""
        columns = tables.answers.c
        query = select(columns.answer).where(
            columns.run_id == run_id,
            columns.role == role,
            columns.attempt == attempt,
            columns.prompt_hash == prompt_hash,
        )
        found = self._access.read(lambda connection: connection.execute(query).first(), "an answer")
        return None if found is None else found.answer["answer"]

    def of_run(self, run_id: str) -> list[tuple[str, Any]]:
        """All answers of a run as (role, answer), oldest first; a resumed run adds up their cost."""
        columns = tables.answers.c
        query = select(columns.role, columns.answer).where(columns.run_id == run_id)
        query = query.order_by(columns.created_at, columns.number)

        def rows(connection: Connection) -> list[tuple[str, Any]]:
            return [(row.role, row.answer["answer"]) for row in connection.execute(query)]

        return self._access.read(rows, "an answer")
