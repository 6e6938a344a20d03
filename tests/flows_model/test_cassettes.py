"""What a real endpoint answered once is replayed in CI."""

from __future__ import annotations

import pytest

from testwright.tests.support.cassettes import Recorder, recorded, replayed
from testwright.tests.support.llm_flows import CASSETTES, run_flow
from testwright.tests.support.paid_runs import KEY, half_spec
from testwright.tests.support.scripted_openai import ScriptedOpenAI, answer

KEPT = {path.stem: path for path in sorted(CASSETTES.glob("*.json"))}


@pytest.mark.feature("T-13")
def test_a_recorded_flow_replays_with_the_same_requests_and_the_same_tests(tmp_path, monkeypatch):
    monkeypatch.setenv("TESTWRIGHT_API_KEY", KEY)
    cassette = tmp_path / "spec.json"
    with ScriptedOpenAI([answer(half_spec())]) as endpoint, Recorder(endpoint.base_url) as recorder:
        first = run_flow("spec", tmp_path / "first", recorder.base_url, "scripted")
        recorder.save(cassette)
        assert endpoint.requests[0].headers["authorization"] == f"Bearer {KEY}"
    with replayed(cassette) as server:
        again = run_flow("spec", tmp_path / "again", server.base_url, "scripted")
        assert [one.body for one in server.requests] == [one["asked"] for one in recorded(cassette)]
    assert KEY not in cassette.read_text()
    assert first.totals.kept == again.totals.kept == 2


@pytest.mark.parametrize("flow", KEPT)
def test_every_cassette_that_is_kept_replays_to_its_end(flow, tmp_path, monkeypatch):
    monkeypatch.setenv("TESTWRIGHT_API_KEY", KEY)
    model = recorded(KEPT[flow])[0]["asked"]["model"]
    with replayed(KEPT[flow]) as server:
        report = run_flow(flow, tmp_path, server.base_url, model)
    assert report.run.spent.calls == len(recorded(KEPT[flow]))
