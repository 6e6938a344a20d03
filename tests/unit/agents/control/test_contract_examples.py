"""The examples, fields and defaults of the contracts of steering, as they stand there."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from testwright.agents.control.health import HealthContext, HealthReport, HealthStatus, parse_health_report
from testwright.agents.control.lorebook import LorebookCursor
from testwright.agents.control.verdicts import JudgeVerdict, parse_judge_verdict
from testwright.config.control import Control
from testwright.graph.control_policy import ControlPolicy
from testwright.graph.planning_graph.plan_check import check_plan
from testwright.graph.planning_graph.risks import descriptor_of, step_descriptors

RESEARCH = {"id": "research", "type": "retrieve_context", "params": {"query": "hi"}}


@pytest.mark.feature("P-01")
def test_a_request_for_a_step_is_the_same_after_a_round_trip() -> None:
    [step], problems = check_plan(json.loads(json.dumps([RESEARCH])))
    assert (step["id"], step["type"], step["params"], problems) == ("research", "retrieve_context", {"query": "hi"}, [])


@pytest.mark.feature("P-01", "P-09")
@pytest.mark.parametrize(
    "steps",
    [
        None,
        "research",
        {"steps": []},
        ["research"],
        [{**RESEARCH, "id": ""}],
        [{**RESEARCH, "type": " "}],
        [{**RESEARCH, "params": "hi"}],
        [{**RESEARCH, "params": {}}],
        [{**RESEARCH, "type": "sing"}],
    ],
)
def test_a_plan_is_read_strictly(steps: Any) -> None:
    _, problems = check_plan(steps)
    assert problems
    assert all(row["path"] and row["message"] and row["suggestion"] for row in problems)


@pytest.mark.feature("P-01", "P-03")
def test_one_repair_and_three_critiques_are_the_defaults() -> None:
    assert (ControlPolicy().planner_repairs, ControlPolicy().max_goal_failures) == (1, 3)
    assert (Control().planner_repairs, Control().max_goal_failures) == (1, 3)


@pytest.mark.feature("P-02")
def test_the_judges_verdict_of_the_example_is_read() -> None:
    raw = '{"isComplete": true, "shouldTerminate": false, "reason": "done"}'
    assert parse_judge_verdict(raw) == JudgeVerdict(is_complete=True, should_terminate=False, reason="done")


@pytest.mark.feature("P-05")
def test_the_health_report_of_the_example_is_read() -> None:
    report = parse_health_report('{"status": "Healthy", "warnings": [], "suggestions": [], "metrics": {}}')
    assert (report.status, report.terminate_harness) == (HealthStatus.HEALTHY, False)


@pytest.mark.feature("P-05")
def test_a_health_report_without_anything_is_unknown_and_ends_nothing() -> None:
    assert parse_health_report("{}") == HealthReport()
    assert HealthReport().to_json() == {
        "status": "Unknown",
        "warnings": [],
        "suggestions": [],
        "metrics": {},
        "suggestedNextPath": None,
        "terminateHarness": False,
    }


@pytest.mark.feature("P-05")
def test_a_health_agent_is_told_what_the_contract_names() -> None:
    told = HealthContext("r", 1, "executing", None, 0, None, {}, [], [], 0.0, [], []).to_json()
    assert set(told) == {
        *("runId", "turnIndex", "harnessStatus", "lastError", "consecutivePathCount", "lastSelectedPathName"),
        *("pathCallCounts", "visiblePathNames", "reservePathNames", "contextFillPercent", "turnHistorySummary"),
        *("recentErrors", "errorRatio"),
    }


@pytest.mark.feature("P-05")
def test_health_is_checked_where_an_interval_or_a_ratio_is_set_and_only_there() -> None:
    assert not ControlPolicy().checks_health
    assert ControlPolicy(health_interval=1).checks_health
    assert ControlPolicy(health_error_ratio=0.5).checks_health
    assert ControlPolicy().health_mode == "blocking"


@pytest.mark.feature("P-06")
def test_the_cursor_of_a_lorebook_begins_before_the_first_turn() -> None:
    assert LorebookCursor() == LorebookCursor(last_updated_turn_index=-1, last_update_generation=0)


@pytest.mark.feature("P-10")
def test_a_step_is_described_with_the_fields_of_the_contract_and_its_hint() -> None:
    names = {
        *("name", "description", "inputSchema", "pcpSchema", "hasInternalAgent", "hasExecutionFunction"),
        *("isRunsInBackground", "agentTypeName"),
    }
    assert all(names < set(row) for row in step_descriptors())
    assert all(" Hint: " in row["description"] for row in step_descriptors())
    assert "Hint:" not in descriptor_of("sing")["description"], "a type that there is not has none"
    by_name = {row["name"]: row for row in step_descriptors()}
    generating, verifying = by_name["generate_unit_tests"], by_name["verify_suite"]
    assert (generating["hasInternalAgent"], generating["hasExecutionFunction"]) == (True, False)
    assert (verifying["hasInternalAgent"], verifying["hasExecutionFunction"]) == (False, True)
    assert json.loads(generating["inputSchema"])["required"]


@pytest.mark.feature("P-10")
@pytest.mark.parametrize(
    ("step_type", "params", "wrong"),
    [
        ("retrieve_context", {"query": "hi"}, {"query": ""}),
        ("verify_suite", {"depends_on": ["a"], "priority": 10}, {"priority": 11}),
        ("verify_suite", {}, {"depends_on": "a"}),
        ("accept_tests", {"risk": "medium"}, {"risk": "deadly"}),
        ("crawl_repository", {"depth_level": "standard"}, {}),
    ],
)
def test_the_schema_of_a_step_takes_what_the_check_of_a_plan_takes(step_type: str, params: Any, wrong: Any) -> None:
    validator = Draft202012Validator(json.loads(descriptor_of(step_type)["inputSchema"]))
    for given, is_right in ((params, True), (wrong, False)):
        before = [{"id": "a", "type": "verify_suite", "params": {}}]
        _, problems = check_plan([*before, {"id": "b", "type": step_type, "params": given}])
        assert (validator.is_valid(given), not problems) == (is_right, is_right)
