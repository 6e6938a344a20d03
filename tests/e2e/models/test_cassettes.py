"""What a real endpoint answered once is replayed in CI, byte for byte; keys are in no cassette."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from testwright.tests.support.agents.cassettes import Recorder, recorded, replayed
from testwright.tests.support.agents.scripted_openai import ScriptedOpenAI, answer, error
from testwright.tests.support.runs.llm_flows import CASSETTES, FLOWS, run_flow
from testwright.tests.support.runs.paid_runs import KEY, half_spec

NOTHING_MORE = {"imports": [], "cases": []}
"""What a model answers that is asked about what the tests leave open."""

KEPT = {path.stem: path for path in sorted(CASSETTES.glob("*.json"))}


@pytest.fixture(scope="module", autouse=True)
def key():
    """The endpoint's key, where keys are."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TESTWRIGHT_API_KEY", KEY)
        yield


@pytest.fixture(scope="module")
def flow(key, tmp_path_factory):
    """A flow that was recorded, and its replay. Read only.

    The endpoint refuses a parameter and the answer's form; what it repeats of the key is not to be noted.
    """
    folder = tmp_path_factory.mktemp("flow")
    refused = [
        error(400, f"Unsupported parameter: 'seed' (key {KEY})", param="seed"),
        error(400, "response_format json_schema is not supported", param="response_format"),
    ]
    echoing = {**half_spec(), "imports": ["from halves.half import half", f"# {KEY}"], "cases": "none"}
    cassette = folder / "spec.json"
    script = [*refused, answer(echoing), answer(half_spec()), answer(NOTHING_MORE)]
    with ScriptedOpenAI(script) as endpoint, Recorder(endpoint.base_url, also={"max_tokens": 99}) as recorder:
        first = run_flow("spec", folder / "first", recorder.base_url, "scripted")
        recorder.cassette("spec", "scripted", first).save(cassette)
    with replayed(recorded(cassette)) as server:
        again = run_flow("spec", folder / "again", server.base_url, "scripted")
    return SimpleNamespace(
        cassette=cassette, first=first, again=again, recorded=endpoint.requests, replayed=server.requests
    )


@pytest.mark.feature("T-13")
def test_a_recorded_flow_replays_refused_requests_and_all(flow):
    asked = [request.body for request in flow.recorded]
    assert flow.recorded[0].headers["authorization"] == f"Bearer {KEY}"
    assert [("seed" in one, one["max_tokens"]) for one in asked] == [(True, 99)] + [(False, 99)] * 4
    kept = recorded(flow.cassette)
    assert KEY not in flow.cassette.read_text()
    assert "max_tokens" not in kept.exchanges[0]["asked"]
    assert (flow.first["calls"], kept.answers, len(kept.exchanges)) == (3, 3, 5)
    assert kept.differences(flow.replayed) == []
    assert flow.again == flow.first == kept.outcome
    assert flow.first["kept"] >= 2


@pytest.mark.feature("T-13")
def test_a_request_that_is_not_the_recorded_one_is_told_with_its_first_difference(flow, tmp_path):
    cassette = tmp_path / "spec.json"
    told = json.loads(flow.cassette.read_text())
    told["exchanges"][0] = {**told["exchanges"][0], "digest": "of other bytes"}
    told["parts"] = [part.replace("You read a Python module", "You read another module") for part in told["parts"]]
    cassette.write_text(json.dumps(told))
    [difference] = recorded(cassette).differences(flow.replayed)
    assert "'You read a Python module" in difference
    assert "is not 'You read another module" in difference


@pytest.mark.feature("T-13")
@pytest.mark.parametrize("name", KEPT)
def test_every_cassette_that_is_kept_replays_to_its_end(name, tmp_path):
    """When a prompt or a form has changed: start a small model and `make test-llm` (CONTRIBUTING.md)."""
    kept = recorded(KEPT[name])
    with replayed(kept) as server:
        again = run_flow(name, tmp_path, server.base_url, kept.model)
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
