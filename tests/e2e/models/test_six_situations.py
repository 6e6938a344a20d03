"""The whole unit path, from request to kept tests, with a model that is right, wrong, or never right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from testwright.core.exit_code import ExitCode
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
    """A model reads, the embedded renderer writes, nobody has to judge: one request, and the engine's tests stay."""
    root = till(tmp_path)
    script = [answer(cases(case(200, "180"), case(50, "50"), {**case(300, "270"), "expect": None}))]
    report, server = await run_with(script, root, monkeypatch, "spec", "analyzer")
    assert report.exit_code == 0
    text = (root / TEST_PATH).read_text()
    assert "def test_discounted_200():" in text
    assert "discounted(300)" in text  # observed, as the model asked
    [spec] = (root / ".testwright").rglob("specs/*.json")
    written = {bool(one.get("written_by")) for one in json.loads(spec.read_text())["cases"]}
    assert written == {True, False}
    assert report.totals.kept > 3
    user = server.requests[0].body["messages"][1]["content"]
    assert "    if total > 100:" in user.partition('<data name="source">')[2].partition("</data>")[0]
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
    """Prose first, then a name that nothing binds: each request is told everything that was wrong."""
    root = till(tmp_path)
    unbound = case(200, "full_price - 20")
    script = [
        answer("I would rather talk about it."),
        answer(cases(unbound)),
        answer(cases(case(200, "180"), unbound)),
    ]
    report, server = await run_with(script, root, monkeypatch, "spec")
    assert report.exit_code == 0
    assert "discounted(200)" in (root / TEST_PATH).read_text()
    second, third = (request.text for request in server.requests[1:])
    assert "I would rather talk about it." in second
    told = "tc_discounted_200 uses full_price, which nothing binds"
    assert told in third
    assert reasons(root, "spec model", "attempt") == [
        (1, "first"),
        (2, "the answer is not JSON: Expecting value: line 1 column 1 (char 0)"),
        (3, f"{told} (and 1 more)"),
    ]
    assert f"a case of the model is left out: {told}" in report.targets[0].notes


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
    """Three more requests, then the engine's tests."""
    root = till(tmp_path)
    script = [answer(cases(case(200, f"nowhere_{number}"))) for number in range(4)]
    report, server = await run_with(script, root, monkeypatch, "spec")
    assert (report.exit_code, report.exit_reason, report.status) == (ExitCode.OK, "completed", "completed")
    assert report.totals.kept > 0
    assert len(server.requests) == 4
    assert "nowhere" not in (root / TEST_PATH).read_text(encoding="utf-8")
    assert any("took the place of the spec model's" in note for note in report.targets[0].notes)


@pytest.mark.feature("B-02")
async def test_a_disagreement_that_is_a_defect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The docstring promises a discount from 100 on, the code begins at 101: no test is bent to the code."""
    root = till(tmp_path)
    told = case(100, "90", name="from_100_on")
    script = [answer(cases(told, case(50, "50"))), answer(verdict(told["id"], "defect"))]
    report, server = await run_with(script, root, monkeypatch, "spec", "analyzer")
    assert (report.exit_code, report.exit_reason) == (ExitCode.OK, "completed")
    defects = report.suspected_defects
    assert len(defects) == 1
    assert defects[0].documented == "ten percent off from 100 on"
    text = (root / TEST_PATH).read_text()
    assert "from_100_on" not in text
    assert "100, 100" not in text.replace("=", ",")  # nor does a test of the engine pin what the code does there
    assert "tc_discounted_50" not in server.requests[1].text


@pytest.mark.feature("B-02", "B-03", "T-06")
async def test_a_disagreement_that_is_the_models_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model thought that 50 is reduced too: what the code does is observed in its place, runs, and is kept."""
    root = till(tmp_path)
    wrong = case(50, "45", expect=[expectation("45", origin="inferred")])
    script = [
        answer(cases(case(200, "180"), wrong)),
        answer(verdict("tc_discounted_50", "wrong_expectation", "only totals of 100 or more are reduced")),
    ]
    report, _ = await run_with(script, root, monkeypatch, "spec", "analyzer")
    assert (report.exit_code, report.totals.suspected_defects) == (0, 0)
    text = (root / TEST_PATH).read_text()
    assert "discounted(50)" in text
    # The header holds a digest, which has any digits.
    assert "45" not in "".join(line for line in text.splitlines() if not line.startswith("#"))


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
    assert report.totals.kept == 1
    text = (root / TEST_PATH).read_text()
    assert "# by hand" in text
    assert "discounted(50)" not in text
    assert (root / helper).is_file()
