"""report.json, report.md and junit.xml."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from testwright.reports.build import build_report
from testwright.reports.json_form import from_json, json_form
from testwright.reports.junit_form import junit_form
from testwright.reports.markdown_form import markdown_form
from testwright.reports.model import Report
from testwright.tests.support.runs.report_data import accept_step, case, executed, facts, generate_step, outcomes
from testwright.tests.support.runs.report_schema import report_schema
from testwright.utils.schema_registry import load_schema, validator

SCHEMA = "schemas/report_schema_v1.json"


@pytest.fixture
def report() -> Report:
    """A run with something of everything."""
    result = executed(
        ["tc_a"], spec_json={"cases": [case("tc_a", "documented", title="adds a | b in __init__"), case("tc_b")]}
    )
    result["dropped"] = [{"case_id": "tc_b", "reason": "fails\nwhen shuffled", "class": "flaky", "message": "\x00 E"}]
    result["spec_json"]["not_reached"] = [{"subject": "Cart.sync", "reason": "needs <network>", "line": 3}]
    result["suspected_defects"] = [
        {
            "id": "sd_a",
            "title": "total ignores the discount",
            "subject": "Cart.total",
            "documented": "9 for 10 % off",
            "observed": "10",
            "reproduce": "cart = Cart(discount=10)\ncart.total()",
            "evidence": {"path": "src/shop/cart1.py", "lines": [4, 6]},
        }
    ]
    result["findings"] = [{"class": "flaky", "case_id": "tc_b", "title": "order matters", "detail": "`x`"}]
    broken = generate_step(2, status="failed", exit_reason="spec_exhausted", error_message="no valid spec")
    plan = (
        generate_step(**result),
        broken,
        accept_step({"path": "tests/generated/shop/test_cart1.py", "outcome": "added"}),
    )
    run = facts(wall_seconds=2.5, idle_seconds=0.5, sandbox="bubblewrap", settings={"jobs": 2})
    return build_report(
        run, outcomes(*plan, understanding={"not_understood": [{"text": "carrt", "suggestions": ["cart"]}]})
    )


def test_the_shipped_schema_is_the_models() -> None:
    assert load_schema(SCHEMA) == report_schema()


def test_a_report_fits_its_schema_and_reads_back(report: Report) -> None:
    assert not list(validator(SCHEMA).iter_errors(json.loads(json_form(report))))
    assert from_json(json_form(report)) == report
    empty = build_report(facts(), outcomes())
    assert not list(validator(SCHEMA).iter_errors(json.loads(json_form(empty))))


@pytest.mark.parametrize("change", [{"exit_reason": "tired"}, {"more": 1}, {"exit_code": -1}, {"run": {}}])
def test_what_is_no_report_does_not_fit_the_schema(report: Report, change: dict[str, object]) -> None:
    changed = {**json.loads(json_form(report)), **change}
    assert list(validator(SCHEMA).iter_errors(changed))


def test_the_json_is_in_one_form(report: Report) -> None:
    text = json_form(report)
    assert text == json_form(from_json(text))
    assert text.endswith("}\n")
    assert list(json.loads(text)) == sorted(json.loads(text))
    assert '"class": "flaky"' in text


def test_the_markdown_shows_a_person_what_matters_first(report: Report) -> None:
    text = markdown_form(report)
    headings = [line.removeprefix("## ") for line in text.splitlines() if line.startswith(("## ", "# Details"))]
    assert text.startswith("# Done in part: 1 test kept\n")
    assert headings == [
        "Suspected defects",
        "Targets",
        "Not reached",
        "Left out of the plan",
        "Files",
        "# Details",
        "Tests kept",
        "Dropped, and why",
        "Findings",
        "The run",
    ]
    assert "```python\ncart = Cart(discount=10)\ncart.total()\n```" in text
    assert "- where: `src/shop/cart1.py:4-6`, `Cart.total`" in text
    assert "0.0 % → 75.0 %" in text
    assert "| adds a \\| b in \\_\\_init\\_\\_ | `add` | documented | 2 | 4 |" in text
    assert "needs &lt;network>" in text
    assert "fails when shuffled" in text
    assert "failed: no valid spec" in text


def test_the_first_part_of_a_large_markdown_fits_on_two_screens_and_loses_nothing() -> None:
    missed = [{"subject": f"gone_{number}", "reason": "no input was found", "line": 4} for number in range(60)]
    made = executed(["tc_a"])
    made["spec_json"]["not_reached"] = missed
    report = build_report(facts(), outcomes(generate_step(1, **made)))
    first, _, details = markdown_form(report).partition("# Details")
    assert len(report.targets[0].not_reached) >= 60
    assert first.count("`gone_") == 8
    assert "… and 52 more, below." in first
    assert len(first.splitlines()) < 60
    assert details.count("`gone_") == 60
    assert "## Not reached\n" in first
    assert "## Not reached: all\n" in details


def test_what_two_kinds_of_tests_do_not_reach_for_one_reason_stands_once() -> None:
    missed = {"subject": "main", "reason": "never called successfully", "line": 22}
    steps = []
    for name, row in (("tc_a", missed), ("tc_b", {**missed, "question": "What must be there before?"})):
        made = executed([name])
        made["spec_json"]["not_reached"] = [row]
        steps.append(generate_step(1, **made))
    steps[1].update(id="step-2", type="generate_integration_tests")
    steps[1]["params"] = {**steps[1]["params"], "test_type": "integration"}
    report = build_report(facts(), outcomes(*steps))
    assert len(report.targets) == 2
    assert report.totals.not_reached == 1
    assert markdown_form(report).count("never called successfully") == 1
    assert "What must be there before?" in markdown_form(report)


def test_every_table_of_the_markdown_has_as_many_cells_as_its_head(report: Report) -> None:
    table: list[int] = []
    for line in [*markdown_form(report).splitlines(), ""]:
        if line.startswith("|"):
            table.append(line.replace("\\|", "").count("|"))
        elif table:
            assert len(set(table)) == 1
            table = []


@pytest.mark.feature("T-14")
def test_the_markdown_says_not_executed() -> None:
    written: dict[str, Any] = {**executed(["tc_a"]), "executed": False, "test_results": None}
    step = generate_step(**written)
    text = markdown_form(build_report(facts(), outcomes(step)))
    assert text.startswith("# Done: 1 test written\n")
    assert "| Executed | not executed |" in text
    assert "## Tests written, not executed" in text


def test_only_the_last_section_of_the_markdown_has_times_and_ids(report: Report) -> None:
    begun = report.model_copy(update={"run": report.run.model_copy(update={"id": "other", "seconds": 99.0})})
    one, other = (markdown_form(each).partition("## The run") for each in (report, begun))
    assert one[0] == other[0]
    assert one[2] != other[2]


def test_the_junit_file_counts_what_ci_servers_count(report: Report) -> None:
    root = Xml.fromstring(junit_form(report))
    assert root.tag == "testsuites"
    assert {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "4",
        "failures": "0",
        "errors": "1",
        "skipped": "2",
    }
    suites = {suite.get("name"): suite for suite in root}
    assert list(suites) == ["src/shop/cart1.py", "src/shop/cart2.py", "suspected defects"]
    kept, dropped = suites["src/shop/cart1.py"]
    assert (kept.get("name"), kept.get("classname"), kept.find("skipped")) == ("tc_a", "shop.cart1", None)
    skipped = dropped.find("skipped")
    assert skipped is not None
    assert skipped.get("message") == "dropped: fails\nwhen shuffled"
    assert dropped.findtext("system-out") == r"\x00 E"
    error = suites["src/shop/cart2.py"].find("testcase/error")
    assert error is not None
    assert error.get("message") == "no valid spec"


@pytest.mark.feature("B-07")
def test_suspected_defects_fail_in_junit_exactly_when_they_fail_the_run(report: Report) -> None:
    step = generate_step(**executed(["tc_a"], suspected_defects=[{"id": "sd_a", "title": "wrong", "observed": "1"}]))
    for fail in (False, True):
        made = build_report(facts(), outcomes(step, fail_on_defect=fail))
        failures = Xml.fromstring(junit_form(made)).findall(".//failure")
        assert len(failures) == (1 if made.exit_code else 0) == int(fail)


@pytest.mark.feature("T-14")
def test_tests_that_were_not_executed_do_not_pass_in_junit() -> None:
    written: dict[str, Any] = {**executed(["tc_a"]), "executed": False, "test_results": None}
    step = generate_step(**written)
    root = Xml.fromstring(junit_form(build_report(facts(), outcomes(step))))
    assert [one.get("message") for one in root.iter("skipped")] == ["not executed"]


@pytest.mark.feature("B-08")
def test_the_markdown_tells_what_was_noted_of_a_target() -> None:
    step = generate_step(**executed(["tc_a"], warnings=["Exploring stopped after 9 seconds."]))
    text = markdown_form(build_report(facts(), outcomes(step)))
    assert "## Notes" in text
    assert "Exploring stopped after 9 seconds." in text


@pytest.mark.feature("B-11")
def test_the_markdown_has_the_untried_mutants_where_there_are_some_and_what_was_noted_of_them() -> None:
    counts = {"found": 2177, "sampled": 100, "killed": 26, "survived": 40, "equivalent": 0, "score": 39.39}
    texts = []
    for untried in (34, 0):
        mutation = {**counts, "untried": untried, "notes": ["34 mutants are untried"] if untried else []}
        results = {**executed(["tc_a"])["test_results"], "mutation": mutation}
        texts.append(
            markdown_form(build_report(facts(), outcomes(generate_step(**executed(["tc_a"], test_results=results)))))
        )
    assert "| Set aside | Untried |" in texts[0]
    assert "| 100 of 2177 | 26 + 0 | 40 | 0 | 34 |" in texts[0]
    assert "34 mutants are untried" in texts[0]
    assert "| 100 of 2177 | 26 + 0 | 40 | 0 |\n" in texts[1]
    assert "ntried" not in texts[1]


def test_cases_that_one_cause_drops_are_one_row_with_an_example() -> None:
    lost = [
        {"case_id": f"tc_{n}", "nodeid": f"t.py::test_{n}", "reason": "depends on the clock", "class": "flaky"}
        for n in range(3)
    ]
    text = markdown_form(build_report(facts(), outcomes(generate_step(1, **executed([], dropped=lost)))))
    assert text.count("depends on the clock") == 1
    assert "3 cases, such as: `tc_0`" in text
    assert "the file is in the run's folder: rejected/" in text
