"""Hands artifacts from one agent to the next: validated, stored, loaded by id, validated, and put into an envelope.

An agent's payload is validated against its output schema and stored. For the next agent it is loaded by id, put into
the hydration envelope, validated against that agent's input schema, and becomes its first user message. Nothing else is
handed over: no history, no summary, no live object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ...core.errors import SchemaValidationError
from .contracts import contract_violations, schema_id
from .lifecycle import ContractValidator
from .protocol import JsonObject, consumer_view
from .sanitizer import SANITIZER_VERSION

if TYPE_CHECKING:
    from ...store.database.artifacts import Artifact


class ArtifactStore(Protocol):
    """Stores and loads artifacts; implemented by the database store."""

    def put(self, run_id: str, kind: str, payload: Any, *, meta: Mapping[str, Any]) -> Artifact: ...
    def get(self, artifact_id: str) -> Artifact: ...


@dataclass(frozen=True, slots=True)
class Producer:
    """The producer of an artifact.

    Attributes:
        agent: the agent's role; the artifact's kind is `<agent>_output`.
        schema: the agent's output schema, by its path in the repository.
    """

    agent: str
    schema: str

    @property
    def kind(self) -> str:
        """The artifact kind."""
        return f"{self.agent}_output"


def persist_output(
    store: ArtifactStore,
    run_id: str,
    producer: Producer,
    payload: Any,
    *,
    meta: Mapping[str, Any] | None = None,
    validate: ContractValidator | None = contract_violations,
) -> str:
    """Validate an agent's output and store it. Returns the artifact's id; the same payload gets the same id.

    Args:
        meta: more to record beside sanitizer, agent and schema id; no times in it.
        validate: finds schema violations; None for a payload that a tool has just validated in full.

    Raises:
        SchemaValidationError: the payload breaks the producer's output schema (not recoverable).
        StorageError: it could not be stored.
    """
    if validate is not None:
        _refuse(validate(producer.schema, payload), f"the output of {producer.agent}", producer.schema)
    about = {"sanitizer": SANITIZER_VERSION, "agent": producer.agent, "schema_id": schema_id(producer.schema)}
    return store.put(run_id, producer.kind, payload, meta={**(meta or {}), **about}).artifact_id


def hydrate(
    store: ArtifactStore,
    run_id: str,
    artifact_id: str,
    *,
    schema: str,
    parameters: Mapping[str, Any] | None = None,
    validate: ContractValidator = contract_violations,
) -> JsonObject:
    """Build the envelope for an artifact's consumer: `{run_id, upstream, payload, parameters}`, payload verbatim.

    Args:
        schema: the consumer's input schema; payload and parameters together are validated against it.
        parameters: further inputs of the consumer, such as `target_framework`.

    Raises:
        SchemaValidationError: payload and parameters break the schema, or the artifact belongs to another run.
        StorageError: the artifact cannot be loaded.
    """
    artifact = store.get(artifact_id)
    if artifact.run_id != run_id:
        raise SchemaValidationError(
            f"artifact {artifact_id} belongs to run {artifact.run_id}, not to {run_id}",
            details={"artifact_id": artifact_id, "errors": []},
        )
    envelope = {
        "run_id": run_id,
        "upstream": {
            "agent": artifact.meta.get("agent", ""),
            "artifact_id": artifact.artifact_id,
            "schema_id": artifact.meta.get("schema_id", ""),
        },
        "payload": artifact.payload,
        "parameters": dict(parameters or {}),
    }
    _refuse(validate(schema, consumer_view(envelope)), f"the handoff of {artifact_id}", schema)
    return envelope


def _refuse(violations: list[JsonObject], what: str, schema: str) -> None:
    if violations:
        first = violations[0]
        more = f" and {len(violations) - 1} more" if len(violations) > 1 else ""
        raise SchemaValidationError(
            f"{what} breaks {schema} at {first.get('path', '$')}: {first.get('message', '')}{more}",
            advice="Nothing was passed on. This is a fault of the producing agent, not of the request.",
            details={"schema": schema, "errors": violations},
        )
