"""`make test-llm`: the flows against a real endpoint, recorded for CI. Not collected by `make test`.

TESTWRIGHT_LLM_BASE_URL and TESTWRIGHT_LLM_MODEL say which; TESTWRIGHT_API_KEY is its key. TESTWRIGHT_LLM_ALSO is a JSON
object of fields that only this endpoint needs; TESTWRIGHT_LLM_CASSETTES another folder to record into. A model may be
too weak to write a test that holds: what is asserted is that the run ends in an orderly way, that what is kept was
executed, that what was paid is known, and that the recording replays.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from testwright.core.exit_code import ExitCode
from testwright.tests.support.agents.cassettes import Recorder, recorded, replayed
from testwright.tests.support.runs.llm_flows import CASSETTES, FLOWS, ORDERLY, also_sent, run_flow

pytestmark = pytest.mark.timeout(3600)


@pytest.fixture(scope="module")
def endpoint():
    """Base URL and model."""
    found = os.environ.get("TESTWRIGHT_LLM_BASE_URL"), os.environ.get("TESTWRIGHT_LLM_MODEL")
    if not all(found):
        pytest.fail("Set TESTWRIGHT_LLM_BASE_URL and TESTWRIGHT_LLM_MODEL (and TESTWRIGHT_API_KEY).")
    return found


@pytest.mark.parametrize("flow", FLOWS)
def test_a_flow_ends_in_an_orderly_way_and_is_recorded(flow, tmp_path, endpoint):
    base_url, model = endpoint
    place = Path(os.environ.get("TESTWRIGHT_LLM_CASSETTES") or CASSETTES) / f"{flow}.json"
    with Recorder(base_url, also=also_sent(os.environ)) as recorder:
        outcome = run_flow(flow, tmp_path / "first", recorder.base_url, model)
        recorder.cassette(flow, model, outcome).save(place)
    cassette = recorded(place)
    if "error" in outcome:
        assert outcome["error"] == "RequestError", outcome
    else:
        assert ExitCode(outcome["exit_code"]) in ORDERLY, outcome
        assert outcome["executed"]
        assert outcome["calls"] == cassette.answers
        assert outcome["tokens_in"] > 0
    with replayed(cassette) as server:
        again = run_flow(flow, tmp_path / "again", server.base_url, model)
    assert cassette.differences(server.requests) == []
    assert again == outcome
