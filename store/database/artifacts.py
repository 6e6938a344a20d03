"""Stores artifacts, the payloads that one agent hands to the next, by run and kind; they are never changed."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, select

from ...core.errors import RunNotFound, StorageError
from ...utils.canonical import digest_of
from . import tables
from .transactions import Transactions, insert_new

_MOST = 100_000
_NAMESPACE = uuid.UUID("5f0f6c1e-6d0b-5c83-9a53-6f2a0b7b6f11")


@dataclass(frozen=True, slots=True)
class Artifact:
    """One stored artifact.

    Attributes:
        artifact_id: uuid5 of run id, kind and content hash.
        kind: such as `unit_test_spec` or `repo_crawler_output`.
        content_hash: sha256 of the content's canonical JSON.
        content: `{"meta": {"sanitizer": "v1.0.0", …}, "payload": …}`; only the payload is passed on.
        created_at: seconds since the epoch.
    """

    artifact_id: str
    run_id: str
    kind: str
    content_hash: str
    content: dict[str, Any]
    created_at: float

    @property
    def payload(self) -> Any:
        """The producer's output, verbatim."""
        return self.content["payload"]

    @property
    def meta(self) -> dict[str, Any]:
        """Metadata: the sanitizer's version and more."""
        return self.content["meta"]


def artifact_id_of(run_id: str, kind: str, content_hash: str) -> str:
    """The id an artifact gets: the same for the same content in the same run."""
    return str(uuid.uuid5(_NAMESPACE, f"{run_id}\n{kind}\n{content_hash}"))


class Artifacts:
    """The artifacts of a store."""

    def __init__(self, access: Transactions, clock: Callable[[], float]) -> None:
        self._access = access
        self._clock = clock

    def put(self, run_id: str, kind: str, payload: Any, *, meta: Mapping[str, Any]) -> Artifact:
        """Store a payload; storing the same one again changes nothing.

        Args:
            payload: JSON value, stored verbatim.
            meta: JSON object; `sanitizer` names the sanitizer's version. No times: it is part of the id.

        Raises:
            RunNotFound: there is no such run.
            ValueError: meta names no sanitizer, or the payload has no JSON form.
            StoreFull, StoreCorrupt, StorageError.
        """
        if not isinstance(meta.get("sanitizer"), str):
            raise ValueError("meta must name the sanitizer's version")
        content = {"meta": dict(meta), "payload": payload}
        content_hash = digest_of(content)
        values = {
            "artifact_id": artifact_id_of(run_id, kind, content_hash),
            "run_id": run_id,
            "kind": kind,
            "content_hash": content_hash,
            "content": content,
            "created_at": self._clock(),
        }
        # The run must not go between the two statements; SQLite has one writer anyway.
        of_run = select(tables.runs.c.number).where(tables.runs.c.run_id == run_id)
        of_run = of_run.with_for_update(read=True, key_share=True)

        def insert(connection: Connection) -> None:
            if connection.execute(of_run).first() is None:
                raise RunNotFound(f"There is no run {run_id} to keep an artifact for.", details={"run_id": run_id})
            insert_new(connection, tables.artifacts, values)

        self._access.write(insert)
        return self.get(values["artifact_id"])

    def get(self, artifact_id: str) -> Artifact:
        """One artifact.

        Raises:
            StorageError: there is none of that id.
            StoreCorrupt: its content does not match its hash.
        """
        found = self._all(select(tables.artifacts).where(tables.artifacts.c.artifact_id == artifact_id))
        if not found:
            raise StorageError(
                f"There is no artifact {artifact_id}.",
                advice="Its run may have been removed by `testwright clean`; run the request again.",
                details={"artifact_id": artifact_id},
            )
        return found[0]

    def find(self, run_id: str, kind: str | None = None) -> list[Artifact]:
        """The artifacts of a run, oldest first, of one kind or of all."""
        query = select(tables.artifacts).where(tables.artifacts.c.run_id == run_id).order_by(tables.artifacts.c.number)
        return self._all(query if kind is None else query.where(tables.artifacts.c.kind == kind))

    def _all(self, query: Select[Any]) -> list[Artifact]:
        rows = self._access.read(lambda connection: connection.execute(query.limit(_MOST)).all(), "an artifact")
        return [self._checked(row) for row in rows]

    def _checked(self, row: Row[Any]) -> Artifact:
        artifact = Artifact(row.artifact_id, row.run_id, row.kind, row.content_hash, row.content, row.created_at)
        texts = (artifact.artifact_id, artifact.kind, artifact.content_hash)
        is_ours = all(isinstance(text, str) for text in texts) and isinstance(artifact.content, dict)
        if not is_ours or digest_of(artifact.content) != artifact.content_hash:
            raise self._access.damaged(f"artifact {artifact.artifact_id} is not what was stored")
        return artifact
