"""Stores runs: request, settings without secrets, status, exit reason and usage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError
from sqlalchemy import Connection, Row, case, delete, select, type_coerce, update

from ...core.errors import RunNotFound, UsageError
from ...core.usage import RunUsage
from ...utils.redact import Redactor, without_secrets
from ...utils.untrusted_files import decoded_json
from . import tables
from .transactions import Transactions, insert_new

RunStatus = Literal["created", "running", "completed", "failed", "stopped"]
RunId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
Time = Annotated[float, Field(allow_inf_nan=False)]
MOST_RUNS = 20_000
"""So many of the newest are read: an endless table must not fill the memory."""
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class StoredRun:
    """One run as stored.

    Attributes:
        root: absolute path of the project.
        settings: the run's settings without secrets; what was left out must be given again on resume.
        version: testwright's version.
        status: `created`, `running`, `completed`, `failed`, or `stopped` by a ceiling or by the user, to be resumed.
        exit_reason: the typed reason it ended, None while it has not.
        created_at: seconds since the epoch, as are all times; started_at and finished_at belong to the last session.
        resumed: how often it was started again.
    """

    run_id: RunId
    root: str
    request: str
    settings: dict[str, Any]
    version: str
    status: RunStatus
    created_at: Time
    exit_reason: str | None = None
    exit_code: int | None = None
    started_at: Time | None = None
    finished_at: Time | None = None
    resumed: int = 0
    spent: RunUsage = field(default_factory=RunUsage)


class Runs:
    """The runs of a store."""

    def __init__(self, access: Transactions, clock: Callable[[], float]) -> None:
        self._access = access
        self._clock = clock

    def create(
        self,
        run_id: str,
        *,
        request: str,
        root: str,
        settings: Mapping[str, Any],
        version: str,
        redactor: Redactor | None = None,
    ) -> StoredRun:
        """Store a new run with status `created`.

        Args:
            settings: JSON object; fields named like secrets are left out, secrets elsewhere are masked.

        Raises:
            UsageError: the id is taken.
            StoreFull, StoreCorrupt, StorageError.
        """
        redactor = redactor or Redactor()
        values = {
            "run_id": run_id,
            "root": tables.storable_text(root),
            "request": tables.storable_text(redactor.text(request)),
            "settings": without_secrets(settings, redactor),
            "version": version,
            "status": "created",
            "created_at": self._clock(),
            "resumed": 0,
            "spent": asdict(RunUsage()),
        }
        if not self._access.write(lambda connection: insert_new(connection, tables.runs, values), repeatable=False):
            raise UsageError(
                f"There is a run {run_id} already.",
                advice=f"`testwright resume {run_id}` continues it; give another name with --run-id for a new one.",
                details={"run_id": run_id},
            )
        return self.get(run_id)

    def start(self, run_id: str) -> StoredRun:
        """Set the status to running; a second start counts as a resume. Raises RunNotFound."""
        columns = tables.runs.c
        self._change(
            run_id,
            repeatable=False,  # it counts
            status="running",
            resumed=columns.resumed + case((columns.started_at.is_not(None), 1), else_=0),
            started_at=self._clock(),
            finished_at=None,
            exit_reason=None,
            exit_code=None,
        )
        return self.get(run_id)

    def finish(self, run_id: str, *, status: RunStatus, exit_reason: str, exit_code: int) -> StoredRun:
        """Store status, exit reason and exit code. Raises RunNotFound."""
        self._change(
            run_id, status=status, exit_reason=exit_reason, exit_code=int(exit_code), finished_at=self._clock()
        )
        return self.get(run_id)

    def record_spent(self, run_id: str, spent: RunUsage) -> None:
        """Store what has been used in total, sessions before a resume included. Raises RunNotFound."""
        self._change(run_id, spent=asdict(spent))

    def record_settings(self, run_id: str, settings: Mapping[str, Any], redactor: Redactor | None = None) -> None:
        """Store the settings that a run goes on with, as `create` does. Raises RunNotFound."""
        self._change(run_id, settings=without_secrets(settings, redactor or Redactor()))

    def get(self, run_id: str) -> StoredRun:
        """One run. Raises RunNotFound; StoreCorrupt, also where its row is not what was stored."""
        rows = self._rows(select(*_COLUMNS).where(tables.runs.c.run_id == run_id))
        if not rows:
            raise _not_found(run_id)
        try:
            return _record(rows[0])
        except ValueError as error:
            raise self._access.damaged(f"run {run_id} does not read ({_first(error)})") from error

    def all(self, *, root: str | None = None) -> list[StoredRun]:
        """All runs whose rows read, newest first; only those of one project when `root` is given."""
        query = select(*_COLUMNS).order_by(tables.runs.c.created_at.desc(), tables.runs.c.number.desc())
        rows = self._rows(query if root is None else query.where(tables.runs.c.root == tables.storable_text(root)))
        found: list[StoredRun] = []
        for row in rows:
            with suppress(ValueError):  # one row that somebody has forged must not hide the others
                found.append(_record(row))
        return found

    def remove(self, run_id: str) -> None:
        """Delete a run with its artifacts and answers; harmless when it is unknown."""
        self._access.write(
            lambda connection: connection.execute(delete(tables.runs).where(tables.runs.c.run_id == run_id))
        )

    def _change(self, run_id: str, *, repeatable: bool = True, **values: Any) -> None:
        statement = update(tables.runs).where(tables.runs.c.run_id == run_id).values(**values)

        def change(connection: Connection) -> None:
            if connection.execute(statement).rowcount == 0:
                raise _not_found(run_id)

        self._access.write(change, repeatable=repeatable)

    def _rows(self, query: Any) -> list[Row[Any]]:
        return self._access.read(lambda connection: list(connection.execute(query.limit(MOST_RUNS))), "a run")


_JSON = ("settings", "spent")
_COLUMNS = [
    type_coerce(column, tables.JsonText).label(column.name) if column.name in _JSON else column
    for column in tables.runs.c
    if column.name != "number"
]
_STORED = TypeAdapter(StoredRun)


def _record(row: Row[Any]) -> StoredRun:
    """The run of a row. Raises ValueError for one that testwright has not written; databases check no contents."""
    values = dict(row._mapping)
    for name in _JSON:
        if not isinstance(values[name], str):
            raise ValueError(f"{name} is no text")
        values[name] = decoded_json(values[name])
    return _STORED.validate_python(values)


def _first(error: ValueError) -> str:
    """The first thing that is wrong, without the value: it may be long, or somebody's secret."""
    if not isinstance(error, ValidationError):
        return str(error)[:_LONGEST]
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"[:_LONGEST]


def _not_found(run_id: str) -> RunNotFound:
    return RunNotFound(
        f"There is no run {run_id}.", advice="`testwright runs list` shows the runs.", details={"run_id": run_id}
    )
