"""What a real endpoint answered once is replayed in CI, byte for byte; keys are in no cassette."""

from __future__ import annotations

import json

import pytest

from testwright.tests.support.agents.cassettes import Recorder, recorded, replayed
from testwright.tests.support.agents.scripted_openai import ScriptedOpenAI, answer, error
from testwright.tests.support.runs.llm_flows import CASSETTES, FLOWS, run_flow
from testwright.tests.support.runs.paid_runs import KEY, half_spec

NOTHING_MORE = {"imports": [], "cases": []}
"""What a model answers that is asked about what the tests leave open."""

KEPT = {path.stem: path for path in sorted(CASSETTES.glob("*.json"))}


@pytest.fixture(autouse=True)
def key(monkeypatch):
    """The endpoint's key, where keys are."""
    monkeypatch.setenv("TESTWRIGHT_API_KEY", KEY)


@pytest.mark.feature("T-13")
def test_a_recorded_flow_replays_refused_requests_and_all(tmp_path):
    """The endpoint refuses a parameter and the answer's form; what it repeats of the key is not noted."""
    refused = [
        error(400, f"Unsupported parameter: 'seed' (key {KEY})", param="seed"),
        error(400, "response_format json_schema is not supported", param="response_format"),
    ]
    echoing = {**half_spec(), "imports": ["from halves.half import half", f"# {KEY}"], "cases": "none"}
    cassette = tmp_path / "spec.json"
    script = [*refused, answer(echoing), answer(half_spec()), answer(NOTHING_MORE)]
    with ScriptedOpenAI(script) as endpoint, Recorder(endpoint.base_url, also={"max_tokens": 99}) as recorder:
        first = run_flow("spec", tmp_path / "first", recorder.base_url, "scripted")
        recorder.cassette("spec", "scripted", first).save(cassette)
        asked = [request.body for request in endpoint.requests]
        assert endpoint.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert [("seed" in one, one["max_tokens"]) for one in asked] == [(True, 99)] + [(False, 99)] * 4
    kept = recorded(cassette)
    assert KEY not in cassette.read_text()
    assert "max_tokens" not in kept.exchanges[0]["asked"]
    assert (first["calls"], kept.answers, len(kept.exchanges)) == (3, 3, 5)
    with replayed(kept) as server:
        again = run_flow("spec", tmp_path / "again", server.base_url, "scripted")
    assert kept.differences(server.requests) == []
    assert again == first == kept.outcome
    assert first["kept"] >= 2


@pytest.mark.feature("T-13")
def test_a_request_that_is_not_the_recorded_one_is_told_with_its_first_difference(tmp_path):
    cassette = tmp_path / "spec.json"
    with (
        ScriptedOpenAI([answer(half_spec()), answer(NOTHING_MORE)]) as endpoint,
        Recorder(endpoint.base_url) as recorder,
    ):
        outcome = run_flow("spec", tmp_path / "first", recorder.base_url, "scripted")
        recorder.cassette("spec", "scripted", outcome).save(cassette)
    told = json.loads(cassette.read_text())
    told["exchanges"][0] = {**told["exchanges"][0], "digest": "of other bytes"}
    told["parts"] = [part.replace("You read a Python module", "You read another module") for part in told["parts"]]
    cassette.write_text(json.dumps(told))
    with replayed(recorded(cassette)) as server:
        run_flow("spec", tmp_path / "again", server.base_url, "scripted")
    [difference] = recorded(cassette).differences(server.requests)
    assert "'You read a Python module" in difference
    assert "is not 'You read another module" in difference


@pytest.mark.feature("T-13")
@pytest.mark.parametrize("flow", KEPT)
def test_every_cassette_that_is_kept_replays_to_its_end(flow, tmp_path):
    """When a prompt or a form has changed: start a small model and `make test-llm` (CONTRIBUTING.md)."""
    kept = recorded(KEPT[flow])
    with replayed(kept) as server:
        again = run_flow(flow, tmp_path, server.base_url, kept.model)
    assert kept.differences(server.requests) == []
    assert again == kept.outcome
    assert again.get("calls", kept.answers) == kept.answers


def test_the_kept_cassettes_are_of_real_endpoints_small_and_of_every_role():
    kept = [recorded(path) for path in KEPT.values()]
    assert all(one.model != "scripted" for one in kept)
    assert sum(path.stat().st_size for path in KEPT.values()) < 300_000
    forms = [exchange["asked"].get("response_format") or {} for each in kept for exchange in each.exchanges]
    named = {form["json_schema"]["name"] for form in forms if "json_schema" in form}
    assert named == {f"{role}_answer" for roles in FLOWS.values() for role in roles}
