"""Every run ends with one typed reason, and the exit code follows from it."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.core.exit_code import ExitCode
from testwright.core.outcome import ExitReason, RunCounts, exit_code_of, exit_reason_of, status_of
from testwright.reports.build import build_report
from testwright.tests.support.runs.report_data import executed, facts, generate_step, outcomes


def tally(**fields: Any) -> RunCounts:
    nothing: dict[str, Any] = {
        "good": 0,
        "targets": 1,
        "failed_steps": 0,
        "dropped": (),
        "defects": 0,
        "skipped": 0,
        "not_understood": 0,
    }
    return RunCounts(**(nothing | fields))


@pytest.mark.feature("P-11", "B-07")
@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"good": 3}, "completed"),
        ({"good": 3, "dropped": ("flaky",)}, "completed"),
        ({"good": 3, "failed_steps": 1}, "partial"),
        ({"good": 3, "defects": 2}, "completed"),
        ({"defects": 2}, "product_defect"),
        ({"targets": 0, "defects": 2}, "product_defect"),
        ({}, "nothing_kept"),
        ({"dropped": ("flaky", "flaky")}, "flaky"),
        ({"dropped": ("timeout",)}, "timeout"),
        ({"dropped": ("test_defect",), "failed_steps": 1}, "test_defect"),
        ({"dropped": ("environment",)}, "environment"),
        ({"dropped": ("flaky", "timeout")}, "nothing_kept"),
        ({"dropped": ("unknown",)}, "nothing_kept"),
        ({"targets": 0}, "nothing_to_do"),
        ({"targets": 0, "not_understood": 1}, "not_understood"),
        ({"targets": 0, "not_understood": 1, "skipped": 1}, "nothing_to_do"),
    ],
)
def test_a_plan_that_went_to_its_end_is_judged_by_what_it_brought(fields: dict[str, Any], reason: str) -> None:
    for ended in (None, "completed", "partial", "plan_failed"):
        assert exit_reason_of(tally(**fields), ended=ended, fail_on_defect=False) == reason


@pytest.mark.feature("B-07")
def test_a_suspected_defect_fails_the_run_only_when_asked_to() -> None:
    assert exit_reason_of(tally(good=3, defects=1), ended=None, fail_on_defect=True) is ExitReason.PRODUCT_DEFECT
    assert exit_reason_of(tally(good=3), ended=None, fail_on_defect=True) is ExitReason.COMPLETED


@pytest.mark.feature("B-08", "P-11")
@pytest.mark.parametrize(
    "ended", ["budget_exhausted", "interrupted", "environment", "goal_validation_failed", "internal"]
)
def test_a_ceiling_or_a_fault_stands_whatever_was_kept(ended: str) -> None:
    assert exit_reason_of(tally(good=9), ended=ended, fail_on_defect=True) == ended


def test_a_reason_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="tired"):
        exit_reason_of(tally(), ended="tired", fail_on_defect=False)


@pytest.mark.feature("B-07", "P-11")
def test_every_reason_has_a_code_and_a_status() -> None:
    codes = {reason: exit_code_of(reason) for reason in ExitReason}
    assert codes[ExitReason.COMPLETED] is ExitCode.OK
    assert {codes[ExitReason(one)] for one in ("flaky", "timeout", "test_defect", "product_defect")} == {
        ExitCode.FLAKY,
        ExitCode.TIMEOUT,
        ExitCode.TEST_DEFECT,
        ExitCode.PRODUCT_DEFECT,
    }
    assert status_of(ExitReason.BUDGET_EXHAUSTED) == status_of(ExitReason.INTERRUPTED) == "stopped"
    stopped_on_purpose = {ExitReason.SPEC_READY}
    assert {reason for reason, code in codes.items() if code is ExitCode.OK and status_of(reason) != "completed"} == (
        stopped_on_purpose
    )


@pytest.mark.parametrize(
    ("ended", "reason"),
    [("spec_exhausted", "test_defect"), ("infrastructure", "environment"), ("budget_exhausted", "nothing_kept")],
)
def test_how_a_step_ended_counts_as_a_class_of_failure(ended: str, reason: str) -> None:
    step = generate_step(status="failed", exit_reason=ended, error_message="it ended")
    report = build_report(facts(), outcomes(step))
    assert report.exit_reason == reason
    assert report.targets[0].error == "it ended"
    assert report.plan[0].error == "it ended"


@pytest.mark.feature("B-07")
@pytest.mark.parametrize(
    ("reason", "settings", "expected"),
    [
        ("never called successfully in 24 trials", {}, "nothing_kept"),
        ("never called successfully in 24 trials", {"changed_since": "main"}, "nothing_to_do"),
        ("it defines no public function or method of its own", {}, "nothing_to_do"),
    ],
)
def test_asked_for_and_made_nothing_is_not_fine(reason: str, settings: dict[str, Any], expected: str) -> None:
    step = generate_step(status="skipped", exit_reason="nothing_to_test", error_message="no test could be made")
    step["result"]["spec_json"] = {"cases": [], "not_reached": [{"subject": "shop.f", "reason": reason, "line": 1}]}
    report = build_report(facts().model_copy(update={"settings": settings}), outcomes(step))
    assert report.exit_reason == expected


def test_a_target_with_nothing_to_test_is_no_failure() -> None:
    step = generate_step(status="skipped", exit_reason="nothing_to_test", error_message="nothing to test was found")
    assert build_report(facts(), outcomes(step)).exit_reason == "nothing_to_do"
    assert build_report(facts(), outcomes(step, generate_step(2, **executed(["tc_a"])))).exit_reason == "completed"
