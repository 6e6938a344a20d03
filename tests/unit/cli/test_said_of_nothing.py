"""Commands that find nothing to do say so, and show no old work as new."""

from pathlib import Path

import pytest

from testwright.agents.contract.protocol import AgentRequest, RequestMetadata
from testwright.agents.embedded.plan.repository_steps import FixedPlanner
from testwright.app.run_report import RunResult
from testwright.cli.outcome import print_result, print_settings
from testwright.reports.model import PytestLine
from testwright.tests.support.runs.report_pages import large_report

pytestmark = pytest.mark.feature("B-13")


@pytest.mark.parametrize("had_ended", [True, False])
def test_a_run_that_had_ended_before_resume_is_told_from_one_that_has_just_ended(capsys, had_ended):
    print_result(RunResult(large_report(2), Path("report.md"), had_ended=had_ended), as_json=False)
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("Run r1 had ended already, so nothing was done.") is had_ended


def test_who_asks_for_lines_of_settings_is_told_that_none_is_lacking(capsys):
    print_settings(())
    assert capsys.readouterr().out == ""
    print_settings((), is_asked=True)
    assert capsys.readouterr().out == "The project's pytest settings lack no line for these tests.\n"
    line = PytestLine(file="pytest.ini", section="pytest", key="pythonpath", line="pythonpath = src")
    print_settings([line], is_asked=True)
    assert capsys.readouterr().out == "added to pytest.ini, [pytest]: pythonpath = src\n"


async def test_a_command_with_a_plan_of_its_own_says_in_words_what_it_does():
    steps = [
        {"id": "a", "type": "crawl_repository", "params": {}},
        {"id": "b", "type": "write_test_cases", "params": {}},
    ]
    async with FixedPlanner(steps) as planner:
        inputs = {"user_request": "cases", "root": "."}
        answer = await planner.process(AgentRequest("plan", "plan", RequestMetadata("t"), inputs=inputs))
    assert answer.result is not None, answer.error
    assert answer.result["understood"] == ["Map the repository, then write test cases in words."]
