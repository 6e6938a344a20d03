"""What an assessment says to people: the table, the findings, the numbers; as text and as Markdown."""

from __future__ import annotations

import copy

import pytest

from testwright.reports.assessment import markdown_form, text_form
from testwright.reports.html.assessment_page import assessment_page
from testwright.tests.support.runs.assessments import REPORT, one_test

pytestmark = pytest.mark.feature("B-01")


def test_the_table_has_a_row_for_each_function_and_findings_and_totals_follow() -> None:
    assert text_form(REPORT).splitlines() == [
        "Tests",
        "Verdict  Rows  Lines  Own lines  Own branches  Mutants  Own  Conditions  Checks   Seconds  Test",
        "holds    1     9      4          2             3        1    3/3         2 exact  2.50     "
        "tests/test_cart.py::test_adds",
        "holds    2     5      0          0             2        0    3/3         2 exact  0.50     "
        "tests/test_cart.py::test_rows",
        "flaky    1     1      1          0             0        0    2/3         2 exact  0.25     "
        "tests/test_cart.py::test_zone",
        "error    1                                                               none     0.25     "
        "tests/test_cart.py::test_lost",
        "",
        "Tests that do not pass: 1",
        "tests/test_cart.py::test_lost: the environment lacks something",
        "",
        "Tests that hold only sometimes: 1",
        "tests/test_cart.py::test_zone: it depends on the time zone (AssertionError: 1 == 2 more)",
        "",
        "Tests that assert nothing: 1",
        "tests/test_cart.py::test_lost",
        "",
        "Slow tests: 1",
        "tests/test_cart.py::test_adds: 2.5 s",
        "",
        "Rows that repeat others: 1",
        "tests/test_cart.py::test_rows[1]: everything it runs and notices, test_adds does, too",
        "Measured by 5 of 9 mutants: more of them may show what a row is there for.",
        "",
        "Functions whose tests a trivial implementation passes: 1",
        "src/cart.py:7 total: one that always returns 3; ignores `rate`",
        "",
        "Conditions",
        "a second time: all pass",
        "a locale with a decimal comma: not tried: the machine has none",
        "another encoding (ANSI): all pass",
        "another time zone: 1 fails",
        "",
        "All together",
        "3 of 5 tests hold under every condition, 1 skipped",
        "1 cannot be run",
        "1 hold only sometimes",
        "1 are rows that repeat others",
        "1 assert nothing",
        "1 are slow",
        "Statements 90.0 %, branches 75.0 %",
        "Mutants: 60.0 %; 3 killed and 0 timed out of 5 sampled (9 there are), 1 survived, 1 on lines that no test "
        "runs, 1 set aside as equivalent",
        "  shop/cart.py:7  a < b  →  a <= b",
        "  set aside by typing_only, 1: shop/cart.py:2 x: int → x: str",
        "Trivial implementations pass the tests of 1 of 3 functions; of 1 only tests of other code notice it",
        "1 of those that do not pass want what this environment lacks: install it, or name the project's own "
        "interpreter with --python PATH",
        "Note: the tests ran without plugins",
    ]


def test_markdown_has_the_same_tables_and_keeps_its_signs() -> None:
    report = copy.deepcopy(REPORT)
    report["tests"][1]["repeats"] = "everything it runs, test_a|b*c_<d> does, too"
    lines = markdown_form(report).splitlines()
    assert lines[:3] == ["# Assessment of tests", "", "## Tests"]
    assert lines[4].startswith("| Verdict | Rows |")
    assert lines[5].count("---") == 11
    assert "| holds | 1 | 9 | 4 | 2 | 3 | 1 | 3/3 | 2 exact | 2.50 | tests/test\\_cart.py::test\\_adds |" in lines
    assert any(line.startswith("- tests/test\\_cart.py::test\\_zone: it depends on the time zone") for line in lines)
    assert any("test\\_a\\|b\\*c\\_&lt;d>" in line for line in lines)


@pytest.mark.feature("B-11")
def test_mutants_that_were_not_tried_are_told_where_there_are_some() -> None:
    report = {**REPORT, "mutation": {**REPORT["mutation"], "untried": 2}}
    for form in (text_form, markdown_form):
        assert "1 set aside as equivalent, 2 untried" in form(report)
        assert "Measured by 3 of 9 mutants" in form(report)
        assert "untried" not in form(REPORT)
        assert "untried" not in form({**REPORT, "mutation": {**REPORT["mutation"], "untried": 0}})


def test_without_mutants_no_test_is_said_to_add_nothing() -> None:
    text = text_form({**REPORT, "mutation": None, "trivial": None})
    assert "add nothing" not in text
    assert "Rows that run nothing that others do not: 1" in text
    assert "No mutants were tried" in text


def test_of_a_large_suite_only_those_are_in_the_table_that_something_is_said_of() -> None:
    more = [one_test(f"test_{number}") for number in range(100)]
    report = {**REPORT, "tests": [*more, *REPORT["tests"]]}
    text = text_form(report)
    assert "test_42" not in text
    assert "test_zone" in text
    assert "and 101 more test functions, in the report" in text


@pytest.mark.feature("B-16")
def test_functions_whose_tests_a_trivial_implementation_passes_are_named_with_what_passes() -> None:
    text = text_form(REPORT)
    assert "Functions whose tests a trivial implementation passes: 1" in text
    assert "src/cart.py:7 total: one that always returns 3; ignores `rate`" in text
    assert "src/cart.py:17 count" not in text, "a test of other code notices it"
    assert "Trivial implementations pass the tests of 1 of 3 functions; of 1 only tests of other code notice it" in text


def test_what_a_run_has_kept_is_no_fault_but_counted_apart():
    theirs = {**REPORT, "generated": []}
    ours = {**REPORT, "generated": ["tests/test_cart.py"]}
    assert "Rows that repeat others: 1" in text_form(theirs)
    assert "Rows that repeat others" not in text_form(ours)
    assert "Tests that testwright kept by more mutants than were tried here: 1" in text_form(ours)
    assert "With the mutants tried here they add nothing; the run that wrote them tried more." in text_form(ours)


def test_columns_of_mutants_are_left_out_where_none_were_tried():
    report = copy.deepcopy(REPORT)
    report["mutation"] = report["trivial"] = None
    for function in report["functions"]:
        function["kills"] = function["own_kills"] = None
    header = next(line for line in text_form(report).splitlines() if line.startswith("Verdict"))
    assert "Mutants" not in header
    assert header.split() == ["Verdict", "Rows", "Lines", "Own", "lines", "Own", "branches", *header.split()[7:]]
    assert "Mutants" in text_form(REPORT)


def test_the_page_of_an_assessment_has_its_parts_as_text_and_loads_nothing():
    report = {**copy.deepcopy(REPORT), "run_id": "r1", "files": ["tests/test_cart.py"], "seconds": 2.0}
    report["notes"] = ["<script>alert(1)</script>"]
    page = assessment_page({"framework": "pytest", **report})
    assert page.index("<h2>All together</h2>") < page.index("<h2>Tests</h2>") < page.index("<h2>Conditions</h2>")
    # The name comes first: what is last is out of sight on a narrow screen.
    assert "<tr><td>tests/test_cart.py::test_adds</td>" in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<script" not in page
    assert "default-src &#39;none&#39;" in page


def test_a_suite_that_ran_once_for_want_of_time_is_not_said_to_hold_under_every_condition() -> None:
    report = copy.deepcopy(REPORT) | {"cut_short": ["conditions"], "conditions": []}
    said = text_form(report)
    assert "3 of 5 tests hold in the one run that there was time for, 1 skipped" in said
    assert "under every condition" not in said
