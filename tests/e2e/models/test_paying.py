"""What a run with models pays for, and how it ends when it may pay no more: the real command, a scripted endpoint."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from testwright.app.api import generate
from testwright.core.errors import BudgetExhausted, SettingsError
from testwright.core.exit_code import ExitCode
from testwright.tests.support.agents.scripted_openai import ScriptedOpenAI, Usage, answer, error, hang
from testwright.tests.support.projects.files import make_project, tree
from testwright.tests.support.runs.command_line import invoke_command
from testwright.tests.support.runs.interrupted import kill
from testwright.tests.support.runs.paid_runs import (
    HALF,
    KEY,
    audit_of,
    case,
    environment,
    flags,
    half_spec,
    halves,
    report_of,
)
from testwright.tests.support.warm.commands import warm_command

REQUEST = "unit tests for src/halves/half.py"
UNCLEAR = f"{REQUEST}, for what teachers share"
MODEL = "openai:scripted"
PLAN = {
    "targets": [{"path": "src/halves/half.py", "symbols": []}],
    "excluded": [],
    "whole_project": False,
    "only_untested": False,
    "framework": None,
    "not_understood": [],
}


SHARED = '''

def shared(number: int, people: int) -> int:
    """The share of each."""
    if sum(map(int, str(abs(number)))) == 40 and people == 7:
        return 0
    return number // people
'''
"""A way through it that no trial finds: it is asked about."""

MISREAD = {**half_spec(), "cases": [*half_spec()["cases"], case("half_of_six", "half(6)", value="4")]}
WRONG = {"verdict": "wrong_expectation", "reason": "half of six is three", "documented": "", "lines": [5, 5]}


@pytest.fixture
def key(monkeypatch):
    """The key of the endpoint, where keys are."""
    monkeypatch.setenv("TESTWRIGHT_API_KEY", KEY)


def told(root, server, **models):
    """The settings of a run that asks the server, and whose embedded engine does not try long."""
    given = {"root": root, "base_url": server.base_url, "models": models, "jobs": 1, "apply": True}
    return {**given, "trials": 200, "mutants": 0}


def run_folder(root, run_id, name):
    """The text of a file of a run."""
    return (root / ".testwright" / "runs" / run_id / name).read_text()


@pytest.mark.feature("T-13")
def test_the_report_shows_what_was_paid_and_the_key_is_nowhere(tmp_path):
    root = halves(tmp_path / "project")
    prices = tmp_path / "prices.json"
    prices.write_text(json.dumps({"models": {"scripted": {"in": 1.0, "cached": 0.5, "out": 10.0}}}))
    with ScriptedOpenAI([answer(half_spec(), usage=Usage(1000, 200, 400))]) as server:
        given = flags(root, server, "--run-id", "paid", "--prices", str(prices))
        done = invoke_command("run", REQUEST, *given, cwd=tmp_path, environment=environment())
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert done.code == ExitCode.OK, done.out + done.err
    report = report_of(root, "paid")
    assert report["totals"]["kept"] >= 2
    assert (report["run"]["spent"]["tokens"], report["run"]["spent"]["calls"]) == (1200, 1)
    [used] = report["run"]["spent"]["models"]
    assert used == {
        "role": "spec",
        "model": "scripted",
        "calls": 1,
        "tokens_in": 1000,
        "tokens_out": 200,
        "tokens_cached": 400,
        "cost": pytest.approx(0.0006 + 0.0002 + 0.002),
        "priced": True,
    }
    told = run_folder(root, "paid", "report.md")
    assert "| spec | `scripted` | 1 | 1000 | 400 | 200 | 0.0028 |" in told
    assert "| Model cost | 0.0028 USD |" in told
    assert [one["outcome"] for one in audit_of(root, "paid") if one["role"] == "spec model"] == ["ok"]
    state = [path for path in (root / ".testwright").rglob("*") if path.is_file()]
    assert [path for path in state if KEY.encode() in path.read_bytes()] == []
    assert KEY not in done.out + done.err


@pytest.mark.feature("T-13")
def test_a_table_of_ones_own_overrides_the_packages_price_and_without_any_the_cost_is_not_known(tmp_path, key):
    told_of = {}
    for number, own in enumerate((None, {"in": 100.0, "out": 0.0})):
        root = halves(tmp_path / str(number))
        prices = tmp_path / "prices.json"
        prices.write_text(json.dumps({"models": {"gpt-4o": own} if own else {}}))
        with ScriptedOpenAI([answer(half_spec(), usage=Usage(10_000, 0))]) as server:
            models = told(root, server, spec="openai:gpt-4o-2024-08-06")
            report = generate(REQUEST, **models, prices=prices, run=False, dry_run=True)
        told_of[number] = report.run.spent.models[0].cost
    assert told_of[1] == pytest.approx(1.0) != told_of[0]
    assert told_of[0] > 0

    root = halves(tmp_path / "unknown")
    with ScriptedOpenAI([answer(half_spec())]) as server:
        report = generate(REQUEST, **told(root, server, spec=MODEL), run_id="free", run=False, dry_run=True)
    assert not report.run.spent.models[0].priced
    assert "0.0000 USD, without `scripted`: no price is known (--prices)" in run_folder(root, "free", "report.md")


@pytest.mark.feature("B-08")
def test_a_ceiling_on_tokens_ends_the_run_cleanly_with_what_was_accepted(tmp_path, key):
    second = HALF["src/halves/half.py"].replace("half", "third").replace("2", "3")
    root = make_project(tmp_path / "project", {**HALF, "src/halves/third.py": second})
    with ScriptedOpenAI([answer(half_spec(), usage=Usage(8_000, 2_000))]) as server:
        report = generate("unit tests for src/halves", **told(root, server, spec=MODEL), max_tokens=6_000)
    assert (report.exit_code, report.exit_reason) == (ExitCode.BUDGET, "budget_exhausted")
    assert {target.path: target.status for target in report.targets} == {
        "src/halves/half.py": "completed",
        "src/halves/third.py": "completed",  # by the engine alone
    }
    assert report.totals.kept >= 2
    assert any(name.startswith("tests/generated/") for name in tree(root))


@pytest.mark.feature("B-08")
def test_a_ceiling_that_is_reached_between_two_calls_of_one_agent_stops_the_second(tmp_path, key):
    paid = answer("no json", usage=Usage(8_000, 2_000))
    with ScriptedOpenAI([paid]) as server, pytest.raises(BudgetExhausted, match="ceiling on tokens"):
        generate(UNCLEAR, **told(halves(tmp_path), server, planner=MODEL), max_tokens=6_000)


@pytest.mark.feature("B-08")
def test_a_ceiling_on_time_ends_a_run_whose_model_does_not_answer(tmp_path, key):
    with ScriptedOpenAI([hang()], all_asked=False) as server, pytest.raises(BudgetExhausted, match="ceiling on time"):
        generate(UNCLEAR, **told(halves(tmp_path), server, planner=MODEL), max_seconds=1)


@pytest.mark.feature("B-08")
def test_a_ceiling_on_cost_needs_a_price(tmp_path, key):
    with ScriptedOpenAI([]) as server, pytest.raises(SettingsError) as caught:
        generate(REQUEST, **told(halves(tmp_path), server, spec=MODEL), max_cost=1)
    assert "--prices" in caught.value.advice


@pytest.mark.feature("B-07")
def test_a_wrong_key_leaves_the_engines_tests_and_is_told_with_what_to_do(tmp_path, key):
    with ScriptedOpenAI([error(401)]) as server:
        report = generate(REQUEST, **told(halves(tmp_path), server, spec=MODEL))
    assert (report.exit_code, report.totals.kept > 0) == (ExitCode.OK, True)
    [note] = [note for note in report.targets[0].notes if "spec model's" in note]
    assert "TESTWRIGHT_API_KEY" in note


@pytest.mark.feature("T-13")
def test_openai_without_a_key_is_said_before_anything_is_done(tmp_path, monkeypatch):
    for name in ("OPENAI_API_KEY", "TESTWRIGHT_API_KEY", "OPENAI_BASE_URL", "TESTWRIGHT_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SettingsError) as caught:
        generate(REQUEST, root=halves(tmp_path), models={"spec": MODEL})
    assert "OPENAI_API_KEY" in caught.value.advice


@pytest.mark.feature("B-08")
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("models", "script", "last", "code", "reason", "audited", "paid"),
    [
        (
            ("planner=openai:scripted",),
            [answer("no json")],
            answer(PLAN),
            ExitCode.OK,
            "completed",
            ["malformed", "malformed", "ok"],
            2,
        ),
        (
            ("spec=openai:scripted", "writer=openai:scripted"),
            [answer(half_spec())],
            error(400, "enough"),
            ExitCode.OK,
            "completed",
            ["ok", "failed"],
            1,
        ),
        (
            ("spec=openai:scripted", "analyzer=openai:scripted"),
            [answer(MISREAD), answer({"cases": []})],
            answer({"verdicts": [{**WRONG, "case_id": "tc_half_of_six"}]}),
            ExitCode.OK,
            "completed",
            ["ok", "ok", "ok"],
            3,
        ),
    ],
    ids=["within one node", "between two nodes", "at the judgement, after a reading and gaps"],
)
def test_a_run_killed_between_two_model_calls_pays_for_none_twice_when_it_is_resumed(
    tmp_path, models, script, last, code, reason, audited, paid
):
    root = make_project(tmp_path / "project", {**HALF, "src/halves/half.py": HALF["src/halves/half.py"] + SHARED})
    with ScriptedOpenAI([*script, hang()]) as server:
        arguments = [
            "run",
            UNCLEAR if "malformed" in audited else REQUEST,
            *flags(root, server, "--run-id", "killed", models=models),
        ]
        with server.asked(len(script) + 1) as all_asked:
            process = subprocess.Popen(
                warm_command(*arguments),
                cwd=tmp_path,
                env={**os.environ, **environment()},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            try:
                assert all_asked.wait(200)
            finally:
                kill(process)
        server.extend(last)
        done = invoke_command("resume", "killed", "--root", str(root), cwd=tmp_path, environment=environment())
        *answered, hung, again = [request.raw for request in server.requests]
    assert len({*answered, hung}) == len(script) + 1
    assert hung == again
    report = report_of(root, "killed")
    assert (done.code, report["exit_reason"]) == (code, reason), done.out + done.err
    calls = [one for one in audit_of(root, "killed") if one["role"].endswith(" model")]
    assert [call["outcome"] for call in calls] == audited
    assert (report["run"]["spent"]["tokens"], report["run"]["spent"]["calls"]) == (150 * paid, paid)
    assert report["run"]["resumed"] == 1


@pytest.mark.feature("B-06")
def test_two_runs_of_one_id_send_the_same_bytes(tmp_path, key):
    root = halves(tmp_path / "project")
    sent = []
    for state in ("one", "two"):
        with ScriptedOpenAI([answer(half_spec())]) as server:
            given = {"run_id": "same", "run": False, "dry_run": True, "state_dir": tmp_path / state}
            generate(REQUEST, **told(root, server, spec=MODEL), **given)
            sent.append([request.raw for request in server.requests])
    assert sent[0] == sent[1]
