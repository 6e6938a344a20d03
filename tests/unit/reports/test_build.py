"""The report is built from whatever a run left behind, says all of it, and nothing that differs between runs."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.reports.build import build_report
from testwright.reports.json_form import json_form
from testwright.reports.model import Coverage, CoverageChange, NotUnderstood, Report, ReportPlace
from testwright.reports.written_files import why_of
from testwright.tests.support.runs.report_data import accept_step, case, executed, facts, generate_step, outcomes
from testwright.tests.support.runs.report_schema import without_run
from testwright.utils.redact import Redactor

DEFECT = {
    "id": "sd_total",
    "title": "total ignores the discount",
    "subject": "Cart.total",
    "documented": "9",
    "observed": "10",
    "reproduce": "Cart().total()",
    "evidence": {"path": "src/shop/cart.py", "lines": [4, 6]},
}


def test_a_target_tells_what_became_of_each_case() -> None:
    result = executed(["tc_a", "tc_b"], spec_json={"cases": [case("tc_a", "documented"), case("tc_b"), case("tc_c")]})
    result["dropped"] = [{"case_id": "tc_c", "nodeid": "x::c", "reason": "fails", "class": "flaky", "message": "E"}]
    result["analysis"] = "Two of three hold."
    (target,) = build_report(facts(), outcomes(generate_step(**result))).targets
    assert (target.path, target.module, target.status) == ("src/shop/cart1.py", "shop.cart1", "completed")
    assert (target.cases, target.kept, target.analysis) == (3, ("tc_a", "tc_b"), "Two of three hold.")
    (dropped,) = target.dropped
    assert (dropped.case_id, dropped.title, dropped.reason, dropped.failure_class) == (
        "tc_c",
        "title of tc_c",
        "fails",
        "flaky",
    )
    assert target.coverage == CoverageChange(
        before=Coverage(statements=10, covered=2, branches=4, covered_branches=0),
        after=Coverage(statements=10, covered=9, branches=4, covered_branches=3),
    )
    assert (target.attempts.spec, target.attempts.code) == (1, 2)


@pytest.mark.feature("B-01")
def test_each_kept_test_has_its_evidence() -> None:
    result = executed(["tc_a"], spec_json={"cases": [case("tc_a", "documented")]})
    result["test_results"]["tests"].append(
        {
            "case_id": "tc_a",
            "nodeid": "test_cart.py::again",
            "evidence": {"lines": [12], "reruns": 3, "mutants_killed": 2},
        }
    )
    (target,) = build_report(facts(), outcomes(generate_step(**result))).targets
    (evidence,) = target.evidence
    assert evidence.tests == ("test_cart.py::again", "test_cart.py::tc_a")
    assert (evidence.lines, evidence.reruns, evidence.mutants_killed) == ((10, 11, 12), 3, 2)
    (expectation,) = evidence.expectations
    assert (expectation.origin, expectation.evidence) == (
        "documented",
        ReportPlace(path="src/shop/cart.py", lines=(10, 12)),
    )


@pytest.mark.feature("B-02")
def test_suspected_defects_stand_once_each_in_the_order_of_the_code() -> None:
    other = {**DEFECT, "id": "sd_first", "evidence": {"path": "src/shop/cart.py", "lines": [1, 1]}}
    result = executed(["tc_a"], suspected_defects=[DEFECT])
    result["spec_json"]["suspected_defects"] = [DEFECT, other]
    report = build_report(facts(), outcomes(generate_step(**result)))
    assert [defect.id for defect in report.suspected_defects] == ["sd_first", "sd_total"]
    assert report.suspected_defects[1].reproduce == "Cart().total()"
    assert report.suspected_defects[1].target == "src/shop/cart1.py"
    assert report.totals.suspected_defects == 2
    assert report.totals.kept == 1


def test_crashes_of_an_api_come_before_what_its_document_says_otherwise() -> None:
    ids = ("sd_get_orders_undocumented_status", "sd_post_orders_server_error", "sd_put_orders_no_answer_2")
    found = [
        {**DEFECT, "id": one, "evidence": {"path": "src/shop/api.py", "lines": [at, at]}}
        for at, one in enumerate(ids, 1)
    ]
    result = executed(["tc_a"], suspected_defects=found)
    report = build_report(facts(), outcomes(generate_step(**result)))
    assert [defect.id for defect in report.suspected_defects] == [*ids[1:], ids[0]]


@pytest.mark.feature("T-14")
def test_without_execution_the_report_says_not_executed() -> None:
    unjudged = {"executed": False, "kept": [], "test_results": None, "analysis": None}
    result: dict[str, Any] = {**executed(["tc_a", "tc_b"]), **unjudged}
    report = build_report(facts(), outcomes(generate_step(**result), analysed=False))
    assert (report.execution, report.analysis) == ("not executed", "not analysed")
    assert (report.targets[0].execution, report.targets[0].kept) == ("not executed", ("tc_a", "tc_b"))
    assert (report.exit_reason, report.exit_code) == ("completed", 0)
    assert any("not executed" in line for line in report.advice)


@pytest.mark.feature("T-14")
def test_without_analysis_the_report_says_not_analysed() -> None:
    found = [{"class": "flaky", "case_id": "tc_a", "title": "flickers", "detail": ""}]
    result = executed(["tc_a"], analysis="words", findings=found)
    report = build_report(facts(), outcomes(generate_step(**result), analysed=False))
    assert (report.execution, report.analysis) == ("executed", "not analysed")
    assert (report.findings, report.targets[0].analysis) == ((), "")


def test_what_all_tests_together_dropped_is_no_longer_kept() -> None:
    path = "tests/generated/shop/test_cart1.py"
    lost = {"case_id": "tc_a", "reason": "breaks others", "class": "flaky"}
    for where in ({"test_path": path}, {"nodeid": f"{path}::test_a"}):
        verify = {"id": "verify", "type": "verify_suite", "status": "completed", "params": {}}
        plan = (
            generate_step(**executed(["tc_a", "tc_b"])),
            generate_step(2, **executed(["tc_a"])),
            {**verify, "result": {"dropped": [{**lost, **where}]}},
        )
        first, second = build_report(facts(), outcomes(*plan)).targets
        assert first.kept == ("tc_b",)
        assert [one.reason for one in first.dropped] == ["breaks others"]
        assert second.kept == ("tc_a",)


def test_why_files_have_not_the_projects_layout_is_said_once() -> None:
    verify = {"type": "verify_suite", "status": "completed", "params": {}, "result": {"not_formatted": "no rule X"}}
    plan = (generate_step(**executed(["tc_a"])), {**verify, "id": "one"}, {**verify, "id": "two"})
    advice = build_report(facts(), outcomes(*plan)).advice
    assert [line for line in advice if "layout" in line] == [
        "Test files do not have the project's own layout: no rule X."
    ]


def test_files_say_what_became_of_them() -> None:
    first = {"path": "tests/generated/shop/test_cart1.py", "outcome": "conflict", "reason": "changed by hand"}
    steps = (generate_step(**executed(["tc_a"])), generate_step(2, **executed(["tc_a"])))
    report = build_report(facts(), outcomes(*steps, accept_step(first)))
    assert [(file.path, file.outcome, file.reason) for file in report.files] == [
        ("tests/generated/shop/test_cart1.py", "conflict", "changed by hand"),
        ("tests/generated/shop/test_cart2.py", "staged", ""),
    ]
    assert (report.totals.files_conflicting, report.totals.files_staged) == (1, 1)
    assert any("testwright apply" in line for line in report.advice)


def test_a_file_that_another_of_the_run_has_replaced_counts_for_nothing() -> None:
    part, whole = generate_step(**executed(["tc_a", "tc_b"])), generate_step(2, **executed(["tc_a", "tc_b", "tc_c"]))
    whole["params"]["target"] = part["params"]["target"]
    gone = {"path": "tests/generated/shop/test_cart1.py", "outcome": "removed", "reason": "about the whole module"}
    added = {"path": "tests/generated/shop/test_cart2.py", "outcome": "added"}
    runs = ({"outcome": "passed", "passed": passed} for passed in (2, 3))
    verified = [
        {"id": "v", "type": "verify_suite", "status": "completed", "result": {"own_pytest": run}} for run in runs
    ]
    report = build_report(facts(), outcomes(part, whole, *verified, accept_step(gone, added)))
    assert [target.test_path for target in report.targets] == ["tests/generated/shop/test_cart2.py"]
    assert (report.totals.kept, report.totals.targets, report.totals.coverage.after) == (
        3,
        1,
        Coverage(statements=10, covered=9, branches=4, covered_branches=3),
    )
    assert report.own_pytest is not None
    assert report.own_pytest.passed == 3
    assert [file.outcome for file in report.files] == ["removed", "added"]
    assert len(report.plan) == 5, "what was done is told"


def test_a_step_that_a_later_one_has_done_again_counts_for_nothing() -> None:
    failed = generate_step(
        status="failed", **executed(["tc_a"], suspected_defects=[DEFECT]), error_message="interrupted"
    )
    again = generate_step(2, **executed(["tc_a", "tc_b"]))
    again["params"] |= {"target": failed["params"]["target"], "redoes": failed["id"]}
    report = build_report(facts(), outcomes(failed, again))
    assert (report.totals.kept, report.totals.targets_failed, len(report.files)) == (2, 0, 1)
    assert [defect.id for defect in report.suspected_defects] == ["sd_total"], "what it found stands"
    assert [step.status for step in report.plan] == ["failed", "completed"]
    again["status"] = "failed"
    assert len(build_report(facts(), outcomes(failed, again)).targets) == 2


def test_a_test_file_that_a_person_has_changed_leaves_the_run_complete() -> None:
    file = {"path": "tests/generated/shop/test_cart1.py", "outcome": "edited", "reason": "changed by hand"}
    report = build_report(facts(), outcomes(generate_step(**executed(["tc_a"])), accept_step(file)))
    assert (report.exit_reason, report.totals.files_edited) == ("completed", 1)
    assert [line for line in report.advice if "you have changed is yours" in line]


def test_tests_for_a_file_that_a_person_has_changed_are_not_said_to_pass_there() -> None:
    file = {"path": "tests/generated/shop/test_cart1.py", "outcome": "edited", "reason": "changed by hand"}
    own = {"outcome": "passed", "passed": 1, "failing": [], "reason": "", "settings": [], "lent": True}
    verify = {"id": "v", "type": "verify_suite", "status": "completed", "result": {"own_pytest": own}}
    report = build_report(facts(), outcomes(generate_step(**executed(["tc_a"])), verify, accept_step(file)))
    assert not [line for line in report.advice if "collects and passes" in line]
    assert [line for line in report.advice if line.startswith("Not added, so not among them")]
    assert [line for line in report.advice if "has no pytest" in line]


def test_what_a_file_no_longer_tests_is_told_with_the_reason() -> None:
    lost = [{"subject": "Cart.total", "reason": ""}, {"subject": "fee", "reason": "it is gone from the module"}]
    file = {"path": "tests/generated/shop/test_cart1.py", "outcome": "updated", "lost": lost}
    step = generate_step(**executed(["tc_a"]))
    step["result"]["spec_json"]["not_reached"] = [{"subject": "Cart.total", "reason": "no call of it ends", "line": 3}]
    (written,) = build_report(facts(), outcomes(step, accept_step(file))).files
    assert why_of(written) == (
        "no test of Cart.total any more: no call of it ends; no test of fee any more: it is gone from the module"
    )


def test_totals_add_up() -> None:
    steps = (generate_step(**executed(["tc_a", "tc_b"])), generate_step(2, **executed(["tc_c"])))
    totals = build_report(facts(), outcomes(*steps)).totals
    assert (totals.targets, totals.targets_completed, totals.cases, totals.kept) == (2, 2, 3, 3)
    assert totals.origins.observed == 3
    assert totals.coverage.after == Coverage(statements=20, covered=18, branches=8, covered_branches=6)


def test_coverage_before_is_only_summed_when_it_is_known_for_all() -> None:
    second = executed(["tc_a"])
    second["test_results"]["coverage"] = {"statements": 5, "covered": 5, "branches": 0, "covered_branches": 0}
    totals = build_report(facts(), outcomes(generate_step(**executed(["tc_a"])), generate_step(2, **second))).totals
    assert totals.coverage.before is None
    assert totals.coverage.after == Coverage(statements=15, covered=14, branches=4, covered_branches=3)


def test_what_was_not_understood_or_left_out_is_said() -> None:
    understanding = {
        "not_understood": [{"text": "carrt", "reason": "no such module", "suggestions": ["shop.cart"]}, "loose words"],
        "skipped": [{"target": "src/setup.py", "reason": "no code to test"}],
    }
    report = build_report(facts(), outcomes(generate_step(**executed(["tc_a"])), understanding=understanding))
    assert report.not_understood == (
        NotUnderstood(text="carrt", reason="no such module", suggestions=("shop.cart",)),
        NotUnderstood(text="loose words"),
    )
    assert [(one.target, one.reason) for one in report.skipped] == [("src/setup.py", "no code to test")]


@pytest.mark.parametrize(
    "said",
    ["{folder}/a.py", "in {folder}", "{folder}: gone", "<Cart at 0x7f{number}aa>", "/tmp/x/w{number}/project/a.py"],
)
def test_two_runs_differ_in_their_run_object_only(said: str) -> None:
    def report(run_id: str, number: int, folder: str) -> Report:
        text = said.format(folder=folder, number=number)
        result = executed(["tc_b", "tc_a"], warnings=[text], failure={"message": text})
        result["dropped"] = [{"case_id": "tc_c", "reason": text, "class": "flaky", "message": text}]
        run = facts(id=run_id, started_at=float(number), wall_seconds=9.0, idle_seconds=1.0 / number, root=folder)
        plan = [generate_step(1, **result, error_message=text), generate_step(2, **result)]
        return build_report(run, outcomes(*plan, private=[folder, f"{folder}/deeper"], advice=[text]))

    one, other = report("r1", 1000, "/tmp/aaa/run"), report("another", 2222, "/var/b.b")
    assert without_run(one) == without_run(other)
    assert json_form(one) != json_form(other)


def test_a_folder_that_only_begins_alike_is_left_in_the_text() -> None:
    result = executed(["tc_a"], warnings=["see /home/me/project-two and /home/me/project/a.py"])
    (target,) = build_report(facts(), outcomes(generate_step(**result), private=["/home/me/project"])).targets
    assert target.notes == ("see /home/me/project-two and a.py",)


def test_that_nobody_can_sign_in_comes_before_all_other_notes() -> None:
    first, other = "Access: nobody can sign in.", "A status is not declared."
    result = executed(["tc_a"], warnings=[other, first])
    (target,) = build_report(facts(), outcomes(generate_step(**result))).targets
    assert target.notes == (first, other)


def test_secrets_are_taken_out_everywhere() -> None:
    secret = "hunter2hunter2"
    result = executed(["tc_a"], analysis=f"saw {secret}", suspected_defects=[{**DEFECT, "observed": secret}])
    step = generate_step(**result, error_message=f"with {secret}")
    run = facts(settings={"note": secret, "api_key": "abcdefghij"})
    made = outcomes(
        step, request=f"with {secret}", advice=[f"use {secret}"], understanding={"not_understood": [secret]}
    )
    report = build_report(run, made, redact=Redactor([secret]).value)
    assert secret not in json_form(report)
    assert report.run.settings == {"note": "[redacted]", "api_key": "[redacted]"}


@pytest.mark.parametrize(
    "step",
    [
        {},
        {"type": "generate_unit_tests"},
        {"type": "generate_unit_tests", "status": "failed", "params": None, "result": None, "error_message": "broke"},
        {"type": "generate_unit_tests", "params": {"target": "a.py"}, "result": {"spec_json": None, "kept": None}},
        {"type": "generate_unit_tests", "result": {"spec_json": {"cases": "none"}, "test_results": {"tests": 3}}},
        {
            "type": "generate_unit_tests",
            "result": {"dropped": [{"class": "odd"}, 4], "executed": True, "kept": ["x", None]},
        },
    ],
)
def test_a_run_that_broke_off_has_a_report_as_well(step: dict[str, object]) -> None:
    report = build_report(facts(), outcomes(step, ended="internal"))
    assert (report.status, report.exit_reason, report.exit_code) == ("failed", "internal", 1)
    assert json_form(report)


def test_tool_calls_are_counted_by_tool_and_server() -> None:
    calls = [
        {"tool": "run_tests", "served_by": "built in", "seconds": 1.25, "outcome": "ok", "cached": False},
        {"tool": "lint_code", "served_by": "built in", "seconds": 0.5, "outcome": "ok", "cached": True},
        {"tool": "run_tests", "served_by": "built in", "seconds": 0.25, "outcome": "timed_out", "cached": False},
    ]
    run = build_report(facts(tool_calls=calls, wall_seconds=10.0, idle_seconds=2.5), outcomes()).run
    assert [
        (tool_call.tool, tool_call.calls, tool_call.cached, tool_call.failed, tool_call.seconds)
        for tool_call in run.tool_calls
    ] == [
        ("lint_code", 1, 1, 0, 0.5),
        ("run_tests", 2, 0, 1, 1.5),
    ]
    assert run.idle is not None
    assert (run.idle.seconds, run.idle.share) == (2.5, 0.25)
    assert (run.started_at, run.finished_at, run.seconds) == (
        "2001-09-09T01:46:40.000Z",
        "2001-09-09T01:46:42.500Z",
        2.5,
    )


def test_a_rule_that_several_inputs_contradict_is_one_defect_with_its_first_input() -> None:
    rows = [{**DEFECT, "id": f"sd_total_{at}", "reproduce": f"Cart({at}).total()"} for at in (1, 2, 3)]
    report = build_report(facts(), outcomes(generate_step(**executed(["tc_a"], suspected_defects=rows))))

    (defect,) = report.suspected_defects
    assert defect.title == f"{DEFECT['title']} (3 inputs)"
    assert defect.reproduce == "Cart(1).total()"
    assert report.totals.suspected_defects == 1


def test_an_abstract_member_is_reached_where_the_member_that_completes_it_has_its_tests() -> None:
    made = executed(["tc_a"])
    subject = made["spec_json"]["cases"][0]["subject"]
    made["spec_json"]["not_reached"] = [
        {"subject": "Base.add", "reason": f"it is abstract: tested as `{subject}`", "line": 4},
        {"subject": "Base.drop", "reason": "it is abstract: tested as `Other.drop`", "line": 5},
    ]
    report = build_report(facts(), outcomes(generate_step(1, **made)))
    assert [row.subject for row in report.targets[0].not_reached] == ["Base.drop"]
    assert report.totals.not_reached == 1
    assert f"Abstract members are tested by what completes them: `Base.add` as `{subject}`" in report.targets[0].notes
