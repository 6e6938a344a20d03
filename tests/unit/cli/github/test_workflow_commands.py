"""Words for the runner: nothing that comes from outside becomes a command, a property or a value of another name."""

import io

import pytest

from testwright.cli.github.annotations import annotations_of
from testwright.cli.github.workflow_commands import (
    SUMMARY_BYTES,
    Annotation,
    annotation_line,
    commands_stopped,
    mask_line,
    plain_line,
    write_outputs,
    write_summary,
)
from testwright.reports.build import build_report
from testwright.tests.support.runs.action_runner import assignments, followed
from testwright.tests.support.runs.report_data import executed, facts, generate_step, outcomes

ODD = "100 % of a, b: c\r\nnext::error::no\n%0A"


@pytest.mark.feature("T-18")
def test_an_annotation_comes_out_as_it_went_in():
    line = annotation_line(Annotation("warning", f"title {ODD}", f"told {ODD}", "src/a,b:c%.py", (3, 5)))
    assert "\n" not in line
    assert "\r" not in line
    [found] = followed(line).annotations
    assert (found.level, found.message) == ("warning", f"told {ODD}")
    assert found.properties == {"file": "src/a,b:c%.py", "line": "3", "endLine": "5", "title": f"title {ODD}"}


def test_lines_of_an_annotation_begin_at_one_and_end_after_they_begin():
    line = annotation_line(Annotation("error", "t", "m", "a.py", (0, -1)))
    assert followed(line).annotations[0].properties == {"file": "a.py", "line": "1", "endLine": "1", "title": "t"}


def test_a_mask_hides_what_comes_after_it():
    log = followed(f"{mask_line('sec:ret%')}\nthis is sec:ret% here").log
    assert "sec:ret%" not in log
    assert "this is *** here" in log


@pytest.mark.parametrize(
    "text",
    [
        "::error::no",
        "  ::set-output name=a::b",
        "fine\n::add-mask::x",
        "##[error]no",
        "a ##[group]b",
        "\r\n::warning::w",
    ],
)
def test_a_line_of_the_log_is_no_command(text):
    line = plain_line(text)
    assert "\n" not in line
    ran = followed(line)
    assert (ran.annotations, ran.masks) == ([], [])


def test_commands_are_not_followed_while_they_are_stopped_and_are_again_afterwards():
    log = io.StringIO()
    with commands_stopped(log):
        log.write("::error::from the tested code\n")
    log.write("::notice::ours\n")
    assert [annotation.message for annotation in followed(log.getvalue()).annotations] == ["ours"]


def test_the_word_that_lets_commands_go_on_cannot_be_guessed():
    words = set()
    for _ in range(3):
        log = io.StringIO()
        with commands_stopped(log):
            pass
        words.add(log.getvalue())
    assert len(words) == 3


def test_outputs_hold_any_text_and_are_added_to_what_is_there(tmp_path):
    file = tmp_path / "output"
    file.write_text("before=1\n")
    write_outputs(file, {"a": "x=1\nb<<END\nEND", "b": "", "c": ODD.replace("\r", "")})
    assert assignments(file) == {"before": "1", "a": "x=1\nb<<END\nEND", "b": "", "c": ODD.replace("\r", "")}


def test_a_summary_is_added_and_cut_where_the_runner_would_refuse_it(tmp_path):
    file = tmp_path / "summary"
    write_summary(file, "# one\n")
    write_summary(file, "```text\n" + "a line of code, ä\n" * 100_000 + "```\n")
    data = file.read_bytes()
    assert len(data) <= SUMMARY_BYTES
    text = data.decode()
    assert text.startswith("# one\n```text\n")
    assert text.endswith("\n```\n\n*The summary is cut here: the report has the rest.*\n")
    write_summary(file, "more\n" * 10)
    assert len(file.read_bytes()) <= SUMMARY_BYTES + 200


def defects(number: int):
    rows = [
        {
            "id": f"sd_{one}",
            "title": f"defect {one}",
            "subject": f"f{one}",
            "documented": "1",
            "observed": "2",
            "reproduce": "f()\ng()",
            "evidence": {"path": "src/a.py", "lines": [one + 1, one + 2]},
        }
        for one in range(number)
    ]
    return build_report(facts(), outcomes(generate_step(**executed(["tc_a"], suspected_defects=rows))))


def test_every_suspected_defect_is_annotated_below_the_projects_folder():
    found = list(annotations_of(defects(2), "services/shop", defects_fail=False))
    assert [(one.level, one.path, one.lines) for one in found] == [
        ("warning", "services/shop/src/a.py", (1, 2)),
        ("warning", "services/shop/src/a.py", (2, 3)),
    ]
    assert found[0].message.endswith("reproduce:\nf()\ng()")


def test_more_annotations_than_github_shows_are_counted_and_errors_where_they_fail_the_step():
    found = list(annotations_of(defects(12), ".", defects_fail=True))
    assert [one.level for one in found] == ["error"] * 12 + ["notice"]
    assert found[0].path == "src/a.py"
    assert "12 suspected defects" in found[-1].message


def test_a_target_that_failed_is_annotated():
    report = build_report(facts(), outcomes(generate_step(status="failed", error_message="it does not import")))
    [found] = annotations_of(report, ".", defects_fail=False)
    assert (found.path, found.message) == ("src/shop/cart1.py", "it does not import")
