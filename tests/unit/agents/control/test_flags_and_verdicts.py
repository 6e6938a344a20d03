"""Flags and verdicts are read as their contracts say: strictly where an approval depends on it, leniently elsewhere."""

from __future__ import annotations

import json
from typing import Any

import pytest

from testwright.agents.contract.protocol import (
    AgentResponse,
    ErrorType,
    ResponseStatus,
    error_response,
    success_response,
)
from testwright.agents.control.flags import FlagCheckResult, check_flags, flags
from testwright.agents.control.health import HealthReport, HealthStatus, parse_health_report
from testwright.agents.control.verdicts import JudgeVerdict, is_safe, parse_judge_verdict, parse_path_safety_verdict


@pytest.mark.feature("P-08")
def test_a_response_without_flags_asks_for_nothing() -> None:
    assert check_flags(success_response("done"), "Judge") == FlagCheckResult(halt_reason="halted by Judge")


@pytest.mark.feature("P-08")
def test_each_flag_is_read_with_its_reason() -> None:
    response = success_response("x", metadata=flags(terminate=True, passes=True, interrupt=True, reason="enough"))
    assert response.metadata == {
        "terminatePipeline": True,
        "passPipeline": True,
        "interuptPipeline": True,
        "haltReason": "enough",
    }
    assert check_flags(response, "Dispatch") == FlagCheckResult(True, True, True, "enough")


@pytest.mark.feature("P-08")
@pytest.mark.parametrize("value", ["true", 1, None, [True]])
def test_only_true_sets_a_flag(value: Any) -> None:
    assert not check_flags(success_response("x", metadata={"terminatePipeline": value}), "Judge").should_halt


@pytest.mark.feature("P-02", "P-09")
@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ('{"isComplete": true, "shouldTerminate": false, "reason": "done"}', JudgeVerdict(True, False, "done")),
        ('{"isComplete": true}', JudgeVerdict(True)),
        ('{"isComplete": "true", "reason": 7}', JudgeVerdict()),
        ('  {"shouldTerminate": true}  ', JudgeVerdict(should_terminate=True)),
        ("I think it is complete", JudgeVerdict()),
        ("[1, 2]", JudgeVerdict()),
        ("", JudgeVerdict()),
    ],
)
def test_a_judges_verdict_is_read_leniently(text: str, verdict: JudgeVerdict) -> None:
    assert parse_judge_verdict(text) == verdict


@pytest.mark.feature("P-04", "P-09")
@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ('{"safe": false, "reason": "Path would write to filesystem without sandboxing."}', False),
        ('  {"safe": true}\n', True),
        ('{"safe": "true"}', None),
        ('{"safe": 1}', None),
        ('{"safe": null}', None),
        ('{"reason": "no verdict"}', None),
        ("safe", None),
        ("true", None),
        ("", None),
        ('```json\n{"safe": true}\n```', None),
    ],
)
def test_a_safety_verdict_is_a_boolean_or_none(text: str, safe: bool | None) -> None:
    assert parse_path_safety_verdict(text) is safe


@pytest.mark.feature("P-04", "P-09")
def test_flags_come_before_a_safety_agents_answer_and_neither_rejects() -> None:
    yes = success_response({"safe": True})
    assert is_safe(yes, check_flags(yes, "Safety"))
    for told, expected in ((flags(terminate=True), False), (flags(passes=True), True)):
        response = success_response({"safe": not expected}, metadata=told)
        assert is_safe(response, check_flags(response, "Safety")) is expected
    unclear, broken = success_response("perhaps"), error_response(ErrorType.EXECUTION, "no idea")
    assert not is_safe(unclear, check_flags(unclear, "Safety"))
    assert not is_safe(broken, check_flags(broken, "Safety"))
    for status in (ResponseStatus.CANCELLED, ResponseStatus.PARTIAL, ResponseStatus.PENDING):
        unfinished = AgentResponse(status, result={"safe": True}, metadata=flags(passes=True))
        assert not is_safe(unfinished, check_flags(unfinished, "Safety")), status


@pytest.mark.feature("P-05", "P-09")
def test_a_whole_health_report_is_read() -> None:
    text = """{"status": "Healthy", "warnings": ["Lorebook has not been updated in 5 turns"],
      "suggestions": ["Consider lowering backgroundTurnInterval"],
      "metrics": {"contextFillRatio": 0.62, "errorRatio": 0.05}, "suggestedNextPath": null,
      "terminateHarness": false}"""
    report = parse_health_report(text)
    assert report.to_json() == json.loads(text)
    assert (report.status, report.terminate_harness) == (HealthStatus.HEALTHY, False)


@pytest.mark.feature("P-05", "P-09")
@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("healthy", HealthStatus.HEALTHY),
        ("DEGRADED", HealthStatus.DEGRADED),
        ("unhealthy", HealthStatus.CRITICAL),
        ("Critical", HealthStatus.CRITICAL),
        ("unknown", HealthStatus.UNKNOWN),
    ],
)
def test_a_health_status_is_read_in_any_case(status: str, expected: HealthStatus) -> None:
    assert parse_health_report(json.dumps({"status": status})).status is expected


@pytest.mark.feature("P-05", "P-09")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "all is well",
        "[]",
        '{"status": "splendid"}',
        '{"status": "healthy", "terminateHarness": "yes"}',
        '{"status": "healthy", "warnings": "one"}',
        '{"status": "healthy", "metrics": {"a": "b"}}',
    ],
)
def test_a_health_report_that_does_not_read_says_nothing(text: str) -> None:
    assert parse_health_report(text) == HealthReport()


@pytest.mark.feature("P-05")
def test_metrics_that_are_no_finite_numbers_are_left_out_and_the_rest_is_read() -> None:
    text = '{"status": "unhealthy", "metrics": {"a": NaN, "b": 1e999, "c": 2}, "terminateHarness": true}'
    report = parse_health_report(text)
    assert (report.metrics, report.terminate_harness) == ({"c": 2.0}, True)


@pytest.mark.feature("P-05")
def test_issues_and_recommendations_are_warnings_and_suggestions() -> None:
    report = parse_health_report('{"status": "degraded", "issues": ["slow"], "recommendations": ["wait"]}')
    assert (report.warnings, report.suggestions) == (["slow"], ["wait"])
