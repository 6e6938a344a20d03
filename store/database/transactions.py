"""The interface through which runs, artifacts and answers reach the database."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection


class Transactions(Protocol):
    """Transactions on the run database, with typed errors."""

    path: Path

    def reading(self, what: str = "a row") -> AbstractContextManager[Connection]:
        """A reading transaction. Raises StoreCorrupt, naming `what` is read, for a row whose values do not parse."""
        ...

    def writing(self) -> AbstractContextManager[Connection]:
        """A writing transaction, all or nothing."""
        ...
