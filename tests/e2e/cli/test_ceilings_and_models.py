"""Ceilings, prices, streams and interruptions as a person meets them: the commands against a scripted endpoint."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from testwright.cli.app import app
from testwright.cli.failures import name_interrupted_run, report_failures
from testwright.core.exit_code import ExitCode
from testwright.tests.support.agents.scripted_openai import ScriptedOpenAI, Usage, answer, error, hang
from testwright.tests.support.mcp.tool_session import write_files
from testwright.tests.support.projects.files import ROOT
from testwright.tests.support.projects.web_shop import SHOP, case
from testwright.tests.support.runs.paid_runs import half_spec, halves, report_of

pytestmark = pytest.mark.feature("B-08")

REQUEST = "unit tests for src/halves/half.py"
UNCLEAR = f"{REQUEST}, for what teachers share"  # a planner's model is asked about it
MAP = {
    "entry_points": [{"path": "app/main.py", "kind": "api_route"}],
    "runtime": "python",
    "frameworks": ["FastAPI"],
}
PAID = Usage(8_000, 2_000)
CASES = {"test_cases": [case()], "coverage_notes": "Only ping."}


@pytest.fixture(autouse=True)
def few_trials_and_a_key(monkeypatch):
    monkeypatch.setenv("TESTWRIGHT_API_KEY", "k-of-the-command-line-tests")
    monkeypatch.setenv("TESTWRIGHT_TRIALS", "100")
    monkeypatch.setenv("TESTWRIGHT_REPEATS", "1")
    monkeypatch.setenv("TESTWRIGHT_MUTANTS", "0")  # what tests leave open would be asked about


def said(*arguments):
    """The command, in this process."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def prices(folder: Path, **dollars: float) -> Path:
    """A price table of the user's, for the model `scripted`."""
    path = folder / "prices.json"
    path.write_text(json.dumps({"models": {"scripted": {"in": 1.0, "cached": 0.5, "out": 10.0, **dollars}}}))
    return path


@pytest.mark.feature("T-13")
def test_a_ceiling_on_cost_counts_with_the_users_prices_and_a_higher_one_goes_on(tmp_path):
    root, table = halves(tmp_path / "project"), prices(tmp_path)
    asking = ("--model", "spec=openai:scripted", "--jobs", "1", "--run-id", "r")
    with ScriptedOpenAI([answer("no json", usage=Usage(10_000, 4_000, 4_000))]) as server:
        given = ("--root", root, "--base-url", server.base_url, *asking, "--prices", table, "--max-cost", "0.04")
        ended = said("run", REQUEST, *given)
        assert ended.exit_code == ExitCode.BUDGET, ended.output
        report = report_of(root, "r")
        assert report["exit_reason"] == "budget_exhausted"
        assert report["run"]["spent"]["cost"] == pytest.approx(0.006 + 0.002 + 0.04)
        assert any("the ceiling on cost (0.04 USD) is reached" in note for note in report["targets"][0]["notes"])
        assert report["totals"]["kept"] > 0  # the engine's, until the run goes on
        assert "testwright resume" in ended.stdout

        refused = said("resume", "r", "--root", root, "--max-cost", "0.03", "--json")
        assert refused.exit_code == ExitCode.BUDGET
        told = json.loads(refused.stdout)["error"]
        assert (told["type"], "0.0480 USD" in told["message"], "--max-cost" in told["advice"]) == (
            "BudgetExhausted",
            True,
            True,
        )
        shown = said("runs", "show", "r", "--root", root).stdout
        assert "A ceiling ended it: `testwright resume r --max-cost 0.096` goes on." in shown

        server.extend(answer(half_spec()))
        done = said("resume", "r", "--root", root, "--max-cost", "1")
    assert done.exit_code == ExitCode.OK, done.output
    assert report_of(root, "r")["totals"]["kept"] >= 2


def test_a_ceiling_on_tokens_ends_with_exit_code_6_and_a_higher_one_goes_on(tmp_path):
    root = halves(tmp_path / "project")
    with ScriptedOpenAI([answer("no json", usage=PAID)]) as server:
        asking = ("--model", "spec=openai:scripted", "--base-url", server.base_url, "--run-id", "r", "--stream")
        ended = said("run", REQUEST, "--root", root, *asking, "--max-tokens", "6000", "--json")
        assert ended.exit_code == ExitCode.BUDGET, ended.output
        assert json.loads(ended.stdout)["exit_reason"] == "budget_exhausted"
        assert server.requests[0].body["stream"] is True
        server.extend(answer(half_spec()))
        done = said("resume", "r", "--root", root, "--max-tokens", "100000", "--json")
    assert done.exit_code == ExitCode.OK, done.output
    assert json.loads(done.stdout)["totals"]["kept"] >= 2


@pytest.mark.parametrize("command", ["run", "plan"])
def test_a_ceiling_on_time_bounds_the_planners_wait(tmp_path, command):
    root = halves(tmp_path / "project")
    with ScriptedOpenAI([hang()], all_asked=False) as server:
        asking = ("--model", "planner=openai:scripted", "--base-url", server.base_url, "--max-seconds", "1")
        ended = said(command, UNCLEAR, "--root", root, *asking, "--json")
    assert ended.exit_code == ExitCode.BUDGET, ended.output
    told = json.loads(ended.stdout)["error"]
    assert told["message"].endswith("the ceiling on time (1 s) is reached")
    assert "higher" in told["advice"]


@pytest.mark.feature("P-01")
@pytest.mark.parametrize(
    ("reply", "code", "reason"),
    [
        (error(429, "slow down", headers={"retry-after": "600"}), ExitCode.ENVIRONMENT, "model_rate_limit"),
        (error(429, "no money", code="insufficient_quota"), ExitCode.ENVIRONMENT, "model_quota"),
        (answer("I may not.", finish="content_filter"), ExitCode.NOTHING_KEPT, "model_refused"),
        (answer('{"targets": [', finish="length"), ExitCode.NOTHING_KEPT, "plan_failed"),
        (error(404, "no such model"), ExitCode.ENVIRONMENT, "environment"),
    ],
    ids=["limits the rate", "has no quota", "refuses", "is cut off", "is not there"],
)
def test_a_run_that_its_planners_model_stops_ends_for_the_documented_reason(tmp_path, monkeypatch, reply, code, reason):
    monkeypatch.setenv("TESTWRIGHT_PLANNER_FAILURE", "stop")
    root = halves(tmp_path / "project")
    with ScriptedOpenAI([reply]) as server:
        asking = ("--model", "planner=openai:scripted", "--base-url", server.base_url)
        ended = said("run", UNCLEAR, "--root", root, *asking, "--json")
    assert ended.exit_code == code, ended.output
    [run] = json.loads(said("runs", "list", "--root", root, "--json").stdout)
    assert (run["exit_reason"], run["exit_code"]) == (reason, code)


@pytest.mark.feature("P-01")
@pytest.mark.parametrize("command", ["run", "plan"])
def test_a_planners_model_that_cannot_be_reached_is_a_fault_of_the_environment(tmp_path, monkeypatch, command):
    monkeypatch.setenv("TESTWRIGHT_PLANNER_FAILURE", "stop")
    root = halves(tmp_path / "project")
    with socket.socket() as taken:  # bound and not listening: every connection is refused
        taken.bind(("127.0.0.1", 0))
        asking = ("--model", "planner=openai:scripted", "--base-url", f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
        ended = said(command, UNCLEAR, "--root", root, *asking, "--json")
    assert ended.exit_code == ExitCode.ENVIRONMENT, ended.output
    if command == "run":
        [run] = json.loads(said("runs", "list", "--root", root, "--json").stdout)
        assert (run["exit_reason"], run["exit_code"]) == ("environment", ExitCode.ENVIRONMENT)


@pytest.mark.feature("A-01")
@pytest.mark.parametrize("command", ["cases", "engineer"])
def test_the_agents_of_a_repository_stop_at_a_ceiling_and_go_on(tmp_path, command):
    root, table = write_files(tmp_path / "shop", SHOP), prices(tmp_path)
    with ScriptedOpenAI([answer(MAP, usage=PAID)]) as server:
        roles = ("--model", "crawler=openai:scripted", "--model", "case=openai:scripted", "--stream")
        where = ["--root", root, "--base-url", server.base_url, "--run-id", "r", "--depth", "smoke"]
        where += ["--apply"] if command == "engineer" else []
        ended = said(command, *where, *roles, "--prices", table, "--max-cost", "0.02")
        assert ended.exit_code == ExitCode.BUDGET, ended.output
        assert server.requests[0].body["stream"] is True
        report = report_of(root, "r")
        assert report["exit_reason"] == "budget_exhausted"
        assert [one["status"] for one in report["plan"]][:2] == ["completed", "skipped"]
        server.extend(answer(CASES))
        done = said("resume", "r", "--root", root, "--max-cost", "10")
    assert done.exit_code == ExitCode.OK, done.output
    report = report_of(root, "r")
    assert {one["status"] for one in report["plan"]} == {"completed"}
    assert report["run"]["spent"]["calls"] == 2


@pytest.mark.feature("A-01")
def test_a_crawl_stops_at_a_ceiling_on_tokens(tmp_path):
    root = write_files(tmp_path / "shop", SHOP)
    with ScriptedOpenAI([answer("no json", usage=PAID)]) as server:
        asking = ("--model", "crawler=openai:scripted", "--base-url", server.base_url, "--max-tokens", "6000")
        ended = said("crawl", "--root", root, *asking, "--depth", "smoke", "--json")
    assert ended.exit_code == ExitCode.BUDGET, ended.output
    assert json.loads(ended.stdout)["exit_reason"] == "budget_exhausted"


@pytest.mark.parametrize(
    ("flag", "value"), [("--max-tokens", "0"), ("--max-cost", "-1"), ("--max-seconds", "0"), ("--jobs", "0")]
)
@pytest.mark.parametrize("command", ["run", "resume"])
def test_a_ceiling_that_makes_no_sense_is_refused(tmp_path, command, flag, value):
    root = halves(tmp_path / "project")
    if command == "resume":
        assert said("run", "src/halves", "--root", root, "--run-id", "x", "--no-run", "--dry-run").exit_code == 0
    refused = said(command, "x", "--root", root, flag, value)
    assert refused.exit_code == ExitCode.USAGE, refused.output
    assert flag.removeprefix("--").replace("-", "_") in refused.stderr


@pytest.mark.feature("B-05")
def test_the_doctor_looks_at_the_sandbox_that_is_asked_for(tmp_path):
    told = said("doctor", "--root", halves(tmp_path / "project"), "--sandbox", "weak", "--json")
    assert next(one for one in json.loads(told.stdout) if one["name"] == "sandbox")["found"] == "weak"


def test_a_plan_keeps_what_it_learns_in_the_state_folder_that_is_named(tmp_path):
    root = halves(tmp_path / "project")
    plan = {"targets": [{"path": "src/halves/half.py", "symbols": []}], "excluded": [], "whole_project": False}
    with ScriptedOpenAI([answer({**plan, "only_untested": False, "framework": None, "not_understood": []})]) as server:
        asking = ("--model", "planner=openai:scripted", "--base-url", server.base_url)
        made = said("plan", UNCLEAR, "--root", root, "--state-dir", tmp_path / "state", *asking)
    assert made.exit_code == 0, made.output
    assert (tmp_path / "state" / "cache" / "endpoints.json").is_file()
    assert not (root / ".testwright").exists()


@pytest.mark.feature("P-11")
@pytest.mark.timeout(600)
def test_ctrl_c_ends_a_command_with_one_line_and_130(tmp_path):
    root = halves(tmp_path / "project")
    with ScriptedOpenAI([hang()]) as server, server.asked(1) as waiting:
        asking = ["--model", "planner=openai:scripted", "--base-url", server.base_url]
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "main.py"), "plan", UNCLEAR, "--root", str(root), *asking],
            cwd=tmp_path,
            env=dict(os.environ),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert waiting.wait(200)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=200)
        finally:
            process.kill()
            process.wait()
    assert (process.returncode, out, err) == (ExitCode.INTERRUPTED, "", "testwright: Interrupted.\n")


@pytest.mark.feature("P-11")
def test_an_interrupted_run_says_how_it_goes_on(capsys):
    with pytest.raises(typer.Exit) as ended, report_failures(debug=False), name_interrupted_run("nightly"):
        raise KeyboardInterrupt
    assert ended.value.exit_code == ExitCode.INTERRUPTED
    assert "`testwright resume nightly` continues." in capsys.readouterr().err
