"""When the step fails, and with which exit code."""

import pytest

from testwright.cli.github.github import verdict_on
from testwright.cli.github.summary import CodePages, failure_summary, summary_of
from testwright.reports.build import build_report
from testwright.tests.support.runs.report_data import executed, facts, generate_step, outcomes

DEFECT = {"id": "sd_1", "title": "wrong", "documented": "1", "observed": "2", "reproduce": "f()"}
DROPPED = [{"case_id": "tc_b", "reason": "flaky", "class": "flaky"}]
EVERYTHING = frozenset({"defects", "failures", "dropped", "not-understood"})


def report(kept=("tc_a",), *, status="completed", understanding=None, ended=None, **result):
    step = generate_step(status=status, **executed(list(kept), **result))
    return build_report(facts(), outcomes(step, understanding=understanding or {}, ended=ended))


GOOD = report()
DEFECTIVE = report(suspected_defects=[DEFECT])
ONLY_DEFECT = report((), suspected_defects=[DEFECT])
FLAKED = report(dropped=DROPPED)
NOTHING = report((), dropped=DROPPED)
FAILED = report((), status="failed")
CEILING = report(ended="budget_exhausted")
UNCLEAR = report(understanding={"not_understood": [{"text": "x", "reason": "what is x", "suggestions": []}]})


@pytest.mark.feature("T-18")
@pytest.mark.parametrize(
    ("given", "fail_on", "failed_on", "code"),
    [
        (GOOD, EVERYTHING, (), 0),
        (DEFECTIVE, {"failures"}, (), 0),
        (DEFECTIVE, {"defects"}, ("defects",), 8),
        (ONLY_DEFECT, {"failures"}, (), 0),
        (ONLY_DEFECT, {"defects", "failures"}, ("defects",), 8),
        (FLAKED, {"failures"}, (), 0),
        (FLAKED, {"dropped"}, ("dropped",), 5),
        (NOTHING, {"failures"}, ("failures",), 10),
        (NOTHING, EVERYTHING, ("failures", "dropped"), 10),
        (FAILED, {"failures"}, ("failures",), 5),
        (CEILING, {"failures"}, ("failures",), 6),
        (UNCLEAR, {"failures"}, (), 0),
        (UNCLEAR, {"not-understood"}, ("not-understood",), 2),
    ],
)
def test_what_fail_on_says_of_a_report(given, fail_on, failed_on, code):
    verdict = verdict_on(given, frozenset(fail_on))
    assert (verdict.failed_on, verdict.exit_code) == (failed_on, code)


@pytest.mark.parametrize("given", [DEFECTIVE, ONLY_DEFECT, FLAKED, NOTHING, FAILED, CEILING, UNCLEAR])
def test_never_fails_on_nothing_that_a_run_found(given):
    assert verdict_on(given, frozenset()).exit_code == 0


def test_the_summary_says_what_the_step_fails_on_and_that_the_sandbox_was_weak():
    weak = build_report(facts(sandbox="weak"), outcomes(generate_step(**executed(["tc_a"]))))
    text = summary_of(weak, failed_on=("dropped",), base="", where=CodePages())
    assert "`completed`; the step fails on dropped" in text
    assert "**weak**: C code and child programs were not held back" in text
    assert "| Branches | 0.0 % → 75.0 % |" in text


def test_what_comes_from_outside_stays_in_its_place_in_the_summary():
    odd = {**DEFECT, "title": "<script>|`x` *b*", "documented": "a\n# b", "reproduce": "'''\n```\nf()"}
    text = summary_of(report(suspected_defects=[odd]), failed_on=(), base="", where=CodePages())
    assert "<script>" not in text
    assert "\n# b" not in text
    assert "````python\n'''\n```\nf()\n````" in text


def test_a_summary_of_many_defects_says_how_many_it_leaves_out():
    many = [{**DEFECT, "id": f"sd_{one}", "title": f"wrong {one}"} for one in range(70)]
    text = summary_of(report(suspected_defects=many), failed_on=(), base="", where=CodePages())
    assert text.count("- observed: 2") == 50
    assert "… and 20 more, in the report." in text


def test_links_lead_to_the_lines_of_the_commit():
    environment = {"GITHUB_SERVER_URL": "https://g.example", "GITHUB_REPOSITORY": "o/r", "GITHUB_SHA": "abc"}
    placed = {**DEFECT, "evidence": {"path": "src/a b.py", "lines": [3, 4]}}
    text = summary_of(
        report(suspected_defects=[placed]), failed_on=(), base="", where=CodePages.of(environment, "services/x")
    )
    assert "[`src/a b.py:3`](https://g.example/o/r/blob/abc/services/x/src/a%20b.py#L3-L4)" in text


def test_a_run_that_could_not_be_made_is_told_with_its_advice():
    assert failure_summary("It broke.", "") == "# testwright: it could not work\n\nIt broke.\n"
    assert "```text\nfirst\nsecond\n```" in failure_summary("It broke.", "first\nsecond")
