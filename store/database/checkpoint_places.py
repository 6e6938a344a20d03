"""Says where LangGraph's checkpoints of a run are; `graph/checkpoints.py` opens them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class CheckpointFiles:
    """SQLite files in a folder, one a run."""

    folder: Path

    def of(self, run_id: str) -> Path:
        """The file of a run."""
        return self.folder / f"{run_id}.sqlite"


@dataclass(frozen=True, slots=True)
class CheckpointTables:
    """Tables of a PostgreSQL database, shared by all its runs.

    Attributes:
        conninfo: how libpq connects; without a password, but not for messages all the same.
        shown: the database's place, for messages.
    """

    conninfo: str = field(repr=False)
    shown: str


CheckpointPlace = CheckpointFiles | CheckpointTables
