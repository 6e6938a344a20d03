"""The whole unit path, from request to kept tests, with a model that is right, wrong, or never right."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.core.errors import ExitCode
from testwright.tests.support.agents.scripted_openai import answer
from testwright.tests.support.runs.audit_entries import read_attempts
from testwright.tests.support.runs.model_runs import (
    TEST_PATH,
    case,
    cases,
    code,
    expectation,
    run_with,
    source_of,
    till,
    verdict,
)


@pytest.mark.feature("T-13", "A-05")
@pytest.mark.smoke
async def test_first_time_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model specifies, the embedded renderer writes, nobody has to judge: one request in all."""
    root = till(tmp_path)
    script = [answer(cases(case(200, "180"), case(50, "50")))]
    report, server = await run_with(script, root, monkeypatch, "spec", "analyzer")
    assert (report.exit_code, report.totals.kept) == (0, 2)
    assert "def test_discounted_200():" in (root / TEST_PATH).read_text()
    user = server.requests[0].body["messages"][1]["content"]
    assert "   6     if total > 100:" in user
    assert "discounted(" in user.partition('<data name="observed">')[2].partition("</data>")[0]


@pytest.mark.feature("T-07", "T-13", "A-05")
async def test_a_model_specifies_and_a_model_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = till(tmp_path)
    written = code(f"{source_of(200, 180)}\n\n{source_of(50, 50)}")
    script = [answer(cases(case(200, "180"), case(50, "50"))), answer(written)]
    report, _ = await run_with(script, root, monkeypatch, "spec", "writer", "analyzer")
    assert (report.exit_code, report.totals.kept) == (0, 2)
    assert "def test_discounted_200():" in (root / TEST_PATH).read_text()


def reasons(root: Path, role: str, numbered: str) -> list[tuple[int, str]]:
    """What the audit log says of a role: which attempt, and why it was made."""
    [log] = (root / ".testwright" / "runs").glob("*/audit.jsonl")
    lines = [attempt for attempt in read_attempts(log) if attempt.role == role]
    return [(line.details.get(numbered, line.attempt), line.reason) for line in lines]


@pytest.mark.feature("T-06", "T-15", "A-03")
async def test_spec_wrong_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prose first, then a name that nothing binds: each refinement is told everything that was wrong."""
    root = till(tmp_path)
    unbound = case(200, "full_price - 20")
    script = [
        answer("I would rather talk about it."),
        answer(cases(unbound, case(50, "50"))),
        answer(cases(case(200, "180"))),
    ]
    report, server = await run_with(script, root, monkeypatch, "spec")
    assert (report.exit_code, report.totals.kept) == (0, 2)
    second, third = (request.text for request in server.requests[1:])
    assert "I would rather talk about it." in second
    assert "nothing binds the name 'full_price'" in third
    assert "full_price - 20" in third
    assert "tc_discounted_50" not in third
    assert reasons(root, "spec model", "attempt") == [
        (1, "first"),
        (2, "the answer is not JSON: Expecting value: line 1 column 1 (char 0)"),
        (3, "nothing binds the name 'full_price'"),
    ]


@pytest.mark.feature("T-07", "T-15")
async def test_code_wrong_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not parse, then a test is missing; the right one is kept."""
    root = till(tmp_path)
    both = f"{source_of(200, 180)}\n\n{source_of(50, 50)}"
    script = [
        answer(cases(case(200, "180"), case(50, "50"))),
        answer(code(both.replace("():", "(:", 1))),
        answer(code(both.replace("discounted(50)", "discounted(fifty)"))),
        answer(code(both)),
    ]
    report, server = await run_with(script, root, monkeypatch, "spec", "writer")
    assert (report.exit_code, report.totals.kept) == (0, 2)
    assert "syntax in line" in server.requests[2].text
    assert "fifty" in server.requests[3].text
    asked = reasons(root, "writer model", "attempt")
    assert [number for number, _ in asked] == [1, 2, 3]
    assert asked[0][1] == "first"
    assert "found newline" in asked[1][1]
    assert "`fifty`" in asked[2][1]
    assert reasons(root, "writer", "generation") == asked


@pytest.mark.feature("T-06", "P-11")
async def test_never_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three refinements, then the engine's tests; the model's last spec is there to be read."""
    root = till(tmp_path)
    script = [answer(cases(case(200, f"nowhere_{number}"))) for number in range(4)]
    report, server = await run_with(script, root, monkeypatch, "spec")
    assert (report.exit_code, report.exit_reason, report.status) == (ExitCode.OK, "completed", "completed")
    assert report.totals.kept > 0
    assert len(server.requests) == 4
    assert "nowhere" not in (root / TEST_PATH).read_text(encoding="utf-8")
    assert any("took the place of the spec model's" in note for note in report.targets[0].notes)
    rejected = list((root / ".testwright").rglob("*.rejected.json"))
    assert len(rejected) == 1
    assert "nowhere_3" in rejected[0].read_text()


@pytest.mark.feature("B-02")
async def test_a_disagreement_that_is_a_defect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The docstring promises a discount from 100 on, the code begins at 101: no test is bent to the code."""
    root = till(tmp_path)
    script = [answer(cases(case(100, "90"), case(50, "50"))), answer(verdict("tc_discounted_100", "defect"))]
    report, server = await run_with(script, root, monkeypatch, "spec", "analyzer")
    assert (report.exit_code, report.exit_reason, report.totals.kept) == (ExitCode.OK, "completed", 1)
    defects = report.suspected_defects
    assert len(defects) == 1
    assert defects[0].documented == "ten percent off from 100 on"
    assert "test_discounted_100" not in (root / TEST_PATH).read_text()
    assert "tc_discounted_50" not in server.requests[1].text


@pytest.mark.feature("B-02", "B-03", "T-06")
async def test_a_disagreement_that_is_the_models_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model thought that 50 is reduced too: the expectation goes back, is corrected, runs, and is kept."""
    root = till(tmp_path)
    wrong = case(50, "45", expect=[expectation("45", origin="inferred")])
    script = [
        answer(cases(case(200, "180"), wrong)),
        answer(verdict("tc_discounted_50", "wrong_expectation", "only totals of 100 or more are reduced")),
        answer(cases(case(50, "50"))),
    ]
    report, server = await run_with(script, root, monkeypatch, "spec", "analyzer")
    assert (report.exit_code, report.totals.kept, report.totals.suspected_defects) == (0, 2, 0)
    assert "discounted(50)" in (root / TEST_PATH).read_text()
    assert "only totals of 100 or more are reduced" in server.requests[2].text
    assert "tc_discounted_200" not in server.requests[2].text


@pytest.mark.feature("T-06")
async def test_tests_that_hold_survive_a_refinement_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wrong expectation is made weaker instead of right, three times: it goes, the other test stays."""
    root = till(tmp_path)
    wrong = case(50, "45")
    weaker = case(50, "45", expect=[{**expectation(""), "kind": "holds", "actual": "result > 0", "value": None}])
    script = [
        answer(cases(case(200, "180"), wrong)),
        answer(verdict("tc_discounted_50", "wrong_expectation")),
        *[answer(cases(weaker))] * 3,
    ]
    report, server = await run_with(script, root, monkeypatch, "spec", "analyzer")
    assert report.totals.kept == 1
    assert "discounted(50)" not in (root / TEST_PATH).read_text()
    assert "an expectation is weaker than before" in server.requests[3].text


@pytest.mark.feature("B-11", "T-13")
async def test_of_a_file_that_a_model_wrote_only_the_failing_test_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The helper beside it runs with it and joins the project with it."""
    root = till(tmp_path)
    body = f"{source_of(200, 180)}\n\n{source_of(50, 45)}"
    written = code(body.replace("== 180", "== from_200()").replace("def ", "# by hand\ndef ", 1))
    written["files"][0]["contents"] = "from till_prices import from_200\n" + written["files"][0]["contents"]
    helper = "tests/generated/till/till_prices.py"
    written["files"].append({"path": helper, "contents": "def from_200():\n    return 180\n"})
    script = [answer(cases(case(200, "180"), case(50, "45"))), answer(written)]
    report, _ = await run_with(script, root, monkeypatch, "spec", "writer")
    assert (report.totals.kept, report.totals.dropped) == (1, 1)
    text = (root / TEST_PATH).read_text()
    assert "# by hand" in text
    assert "discounted(50)" not in text
    assert (root / helper).is_file()
