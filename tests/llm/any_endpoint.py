"""`make test-llm`: the flows against a real endpoint, recorded for CI. Not collected by `make test`.

TESTWRIGHT_LLM_BASE_URL and TESTWRIGHT_LLM_MODEL say which; TESTWRIGHT_API_KEY is its key. A model may be too weak to
write a test that holds: what is asserted is that the run ends in an orderly way, that what is kept was executed, and
that what was paid is known.
"""

from __future__ import annotations

import os

import pytest

from testwright.errors import ExitCode
from testwright.tests.support.cassettes import Recorder
from testwright.tests.support.llm_flows import CASSETTES, FLOWS, run_flow

ORDERLY = {ExitCode.OK, ExitCode.NOTHING_KEPT, ExitCode.PARTIAL, ExitCode.PRODUCT_DEFECT, ExitCode.TEST_DEFECT}


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
    with Recorder(base_url) as recorder:
        report = run_flow(flow, tmp_path, recorder.base_url, model)
        recorder.save(CASSETTES / f"{flow}.json")
    assert ExitCode(report.exit_code) in ORDERLY
    assert report.run.spent.tokens > 0
    assert all(target.execution == "executed" for target in report.targets if target.kept)
