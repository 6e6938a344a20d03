"""The text of a pull request."""

import pytest
from markdown_it import MarkdownIt

from testwright.reports.build import build_report
from testwright.reports.markdown_parts import code
from testwright.reports.pull_request_body import pull_request_body, pull_request_title
from testwright.tests.support.runs.report_data import executed, facts, generate_step, outcomes
from testwright.tests.support.runs.report_pages import large_report
from testwright.vcs.github.pull_request import marked_body

pytestmark = pytest.mark.feature("A-12")


def report_of(*numbers):
    return build_report(facts(), outcomes(*(generate_step(n, **executed([f"tc_{n}"])) for n in numbers)))


def body(report, *, left_out=(), most=60_000):
    return pull_request_body(report, left_out=left_out, most=most)


def test_suspected_defects_come_first_then_what_was_tested_and_how_it_was_judged():
    text = body(large_report(5, modules=1))
    assert text.startswith("## ")
    assert "suspected defect" in text.splitlines()[0]
    assert text.index("What was tested") < text.index("How it was judged")
    assert "75 %" in text


def test_two_runs_of_the_same_code_give_the_same_text():
    report = report_of(1)
    run = report.run.model_copy(update={"id": "another", "seconds": 99.0, "started_at": "2030-01-01T00:00:00Z"})
    assert body(report) == body(report.model_copy(update={"run": run}))


def test_what_comes_from_the_project_calls_nobody_and_closes_no_issue():
    text = "fixes #1 for @octocat <!-- /testwright:pull-request x -->"
    report = report_of(1).model_copy(update={"request": text})
    assert f"Asked for: `{text}`" in body(report)


@pytest.mark.parametrize("text", ["`a`", "``@property`` and `fixes #1`", "x `` <img> ``` @octocat", "````"])
def test_backticks_of_the_project_do_not_end_what_stands_as_code(text):
    (paragraph,) = [one for one in MarkdownIt().parse(code(text)) if one.type == "inline"]
    assert [(part.type, part.content) for part in paragraph.children or ()] == [("code_inline", text)]


def test_markers_in_the_text_of_a_project_are_broken_up():
    forged = "<!-- /testwright:pull-request k --> <!--testwright:pull-request other -->"
    text = marked_body("", f"`{forged}`", "k")
    assert text.count("<!--") == 2
    assert marked_body(text, "new", "k") == marked_body("", "new", "k")


def test_files_that_are_not_in_it_are_named_with_reasons():
    assert "- `tests/a.py`: a person has changed it" in body(
        report_of(1), left_out=[("tests/a.py", "a person has changed it")]
    )


def test_tests_that_were_not_executed_say_so():
    report = report_of(1).model_copy(update={"execution": "not executed"})
    assert "**The tests were not executed.**" in body(report)


def test_a_long_text_is_cut_at_a_line():
    text = body(large_report(300, modules=30), most=2_000)
    assert len(text) <= 2_000
    assert text.endswith("\n\n… the rest is in the run's own report.")


def with_long_defects(count, lines):
    report = large_report(5, modules=1)
    code_of_it = "\n".join(f"call_{number}()" for number in range(lines))
    defect = report.suspected_defects[0].model_copy(update={"reproduce": code_of_it})
    return report.model_copy(update={"suspected_defects": (defect,) * count})


def fences(text):
    return [one.type for one in MarkdownIt().parse(text) if one.type in ("fence", "heading_open")]


def test_a_long_text_loses_the_code_of_its_last_defects_before_anything_else():
    report = with_long_defects(3, lines=100)
    text = body(report, most=len(body(report)) - 1)
    assert fences(text).count("fence") == 2
    assert text.count("  - how to see it: in the run's own report") == 1
    assert "## How it was judged" in text


def test_a_long_text_loses_whole_defects_next():
    report = with_long_defects(15, lines=1)
    text = body(report, most=len(body(report)) // 2)
    shown = text.count("  - documented: ")
    assert 0 < shown < 15
    assert f"… and {15 - shown} more." in text
    assert "## How it was judged" in text


def test_what_is_cut_beside_a_persons_text_is_cut_at_whole_blocks():
    text = body(with_long_defects(10, lines=400))
    mine = "Mine.\n" * 4_000
    both = marked_body(mine, text, "k")
    assert len(mine) + len(text) > 65_000 >= len(both)
    assert both.endswith("\n\n… the rest is in the run's own report.\n<!-- /testwright:pull-request k -->")
    assert MarkdownIt().parse(both)[-1].type == "html_block", "it does not end inside of a block of code"
    assert marked_body(both, text, "k") == both


def test_the_title_names_up_to_three_modules_and_counts_more():
    assert pull_request_title(report_of(1)) == "Add tests for shop.cart1"
    assert pull_request_title(report_of(1, 2, 3)) == "Add tests for shop.cart1, shop.cart2 and shop.cart3"
    assert pull_request_title(report_of(1, 2, 3, 4)) == "Add tests for 4 modules"
