"""Histories of runs that were recorded on a real server: the workflow decides today as it did then.

A run that is going on when its worker is brought up to date must be replayed by the new code. Where a change of the
workflow makes a recorded history fail, it gets a new name (`messages.WORKFLOW`) and a history of its own.
"""

from pathlib import Path

import pytest
from temporalio.client import WorkflowHistory
from temporalio.worker import Replayer
from temporalio.workflow import NondeterminismError

from testwright.app.temporal.run_workflow import RunWorkflow

pytestmark = pytest.mark.feature("A-08")
RECORDED = sorted((Path(__file__).parents[2] / "data" / "temporal").glob("*.json"))


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
async def test_the_workflow_decides_as_it_did_when_the_history_was_recorded(path):
    history = WorkflowHistory.from_json(path.stem, path.read_text("utf-8"))
    await Replayer(workflows=[RunWorkflow], build_id="tests").replay_workflow(history)


async def test_a_history_of_other_decisions_is_not_replayed():
    [text] = [path.read_text("utf-8") for path in RECORDED if path.stem == "two_modules"]
    history = WorkflowHistory.from_json("changed", text.replace('"finish_run"', '"stop_run"'))
    with pytest.raises(NondeterminismError):
        await Replayer(workflows=[RunWorkflow], build_id="tests").replay_workflow(history)
