"""The boundary between agents, on the real store: validated, persisted, loaded, validated again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from testwright.agents.contract.contracts import contract_of, contract_violations, schema_id
from testwright.agents.contract.handoff import Producer, hydrate, persist_output
from testwright.agents.contract.protocol import consumer_view
from testwright.core.errors import SchemaValidationError, UsageError
from testwright.store.database.artifacts import Artifacts
from testwright.store.database.database import Store
from testwright.tests.support.runs.graph_runs import RUN_ID

SPEC = Producer("spec", "schemas/spec/output.json")
PAYLOAD: dict[str, Any] = {"spec": {"title": "ünï", "cases": [{"id": "tc_a"}], "b": 1, "a": 2}}
PARAMETERS = {"framework": "pytest", "test_path": "tests/generated/test_cart.py"}
WRITER = "schemas/writer/input.json"


@pytest.fixture
def artifacts(tmp_path: Path) -> Iterator[Artifacts]:
    with Store.open(tmp_path) as store:
        store.runs.create(RUN_ID, request="r", root="/p", settings={}, version="1")
        yield store.artifacts


@pytest.mark.feature("A-05")
def test_the_envelope_holds_the_payload_verbatim_and_says_where_it_is_from(artifacts: Artifacts) -> None:
    artifact_id = persist_output(artifacts, RUN_ID, SPEC, PAYLOAD)
    envelope = hydrate(artifacts, RUN_ID, artifact_id, schema=WRITER, parameters=PARAMETERS)
    assert envelope == {
        "run_id": RUN_ID,
        "upstream": {
            "agent": "spec",
            "artifact_id": artifact_id,
            "schema_id": "urn:testwright:schema:spec.output:1.0.0",
        },
        "payload": PAYLOAD,
        "parameters": PARAMETERS,
    }


@pytest.mark.feature("A-02")
def test_the_artifact_records_the_sanitizer_version(artifacts: Artifacts) -> None:
    artifact = artifacts.get(persist_output(artifacts, RUN_ID, SPEC, PAYLOAD, meta={"model": "m"}))
    assert artifact.kind == "spec_output"
    assert artifact.meta == {
        "sanitizer": "v1.0.0",
        "agent": "spec",
        "schema_id": "urn:testwright:schema:spec.output:1.0.0",
        "model": "m",
    }


@pytest.mark.feature("A-05")
def test_the_same_payload_is_stored_once(artifacts: Artifacts) -> None:
    assert persist_output(artifacts, RUN_ID, SPEC, PAYLOAD) == persist_output(artifacts, RUN_ID, SPEC, dict(PAYLOAD))
    assert len(artifacts.find(RUN_ID)) == 1


@pytest.mark.feature("A-03")
def test_a_payload_that_breaks_the_output_schema_is_not_stored(artifacts: Artifacts) -> None:
    with pytest.raises(SchemaValidationError, match="spec") as caught:
        persist_output(artifacts, RUN_ID, SPEC, {"cases": []})
    assert caught.value.details["errors"]
    assert artifacts.find(RUN_ID) == []


@pytest.mark.feature("A-05")
def test_a_handover_that_breaks_the_consumers_schema_is_refused(artifacts: Artifacts) -> None:
    artifact_id = persist_output(artifacts, RUN_ID, SPEC, PAYLOAD)
    with pytest.raises(SchemaValidationError, match="test_path"):
        hydrate(artifacts, RUN_ID, artifact_id, schema=WRITER, parameters={"framework": "pytest"})


@pytest.mark.feature("A-06")
def test_an_artifact_of_another_run_does_not_cross(artifacts: Artifacts) -> None:
    artifact_id = persist_output(artifacts, RUN_ID, SPEC, PAYLOAD)
    with pytest.raises(SchemaValidationError, match="belongs to run"):
        hydrate(artifacts, "another", artifact_id, schema=WRITER, parameters=PARAMETERS)


def test_what_stands_beside_an_envelope_is_part_of_what_the_consumer_sees() -> None:
    envelope = {"run_id": "r", "upstream": {}, "payload": {"spec": {}}, "parameters": {"framework": "pytest"}}
    assert consumer_view({**envelope, "errors": [1]}) == {
        "run_id": "r",
        "spec": {},
        "framework": "pytest",
        "errors": [1],
    }
    assert consumer_view({"spec": {}}) == {"spec": {}}


def test_contracts_are_found_by_role() -> None:
    contract = contract_of("writer")
    assert (contract.input_schema, contract.output_schema) == (WRITER, "schemas/writer/output.json")
    assert schema_id("schemas/spec/output.json") == "urn:testwright:schema:spec.output:1.0.0"
    assert [
        violation["path"] for violation in contract_violations(WRITER, {"spec": {"a": 1}, "framework": "pytest"})
    ] == ["$.test_path"]
    with pytest.raises(UsageError):
        contract_of("nobody")
