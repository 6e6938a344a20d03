"""Whole runs with tool servers of others and with the cache, by the real command (T-12, A-09)."""

from __future__ import annotations

import json
import os
import signal
import time
from types import SimpleNamespace

import pytest

from testwright.app import api
from testwright.config.settings import load_settings
from testwright.core.errors import EnvironmentFault
from testwright.core.events import EventType
from testwright.tests.support.mcp.external_servers import entry, is_released
from testwright.tests.support.projects.files import SMALL, make_project
from testwright.tests.support.runs.command_line import invoke_command
from testwright.tests.support.runs.comparison import report_of, run_folder, work_of
from testwright.tests.support.runs.interrupted import started_command

CONTEXT = "get_codebase_context"
ONE = {path: text for path, text in SMALL.items() if "numbers" not in path}
ASKED = ("run", "unit tests for src/small/names.py", "--trials", "40", "--mutants", "0", "--dry-run", "--root")
READ_ONLY = {"get_ast_analysis", "validate_test_code", "validate_test_spec"}


def generated(root, **settings):
    """The request of the command, asked of the library."""
    return api.generate("unit tests for src/small/names.py", root=root, trials=40, mutants=0, dry_run=True, **settings)


def run_of(folder):
    return json.loads((folder / "report.json").read_text("utf-8"))["run"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The same request three times on one tree: with a server of others by the command, again, and without the cache.

    Read only.
    """
    root = make_project(tmp_path_factory.mktemp("others") / "project", ONE)
    config = root.parent / "servers.json"
    server = entry("good", env={"API_TOKEN": "${SEARCH_TOKEN}"})
    config.write_text(json.dumps({"mcpServers": {"search": server}}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SEARCH_TOKEN", "given-to-the-server-only")
        told = invoke_command(*ASKED, str(root), "--run-id", "first", "--mcp-config", str(config), cwd=root.parent)
        assert told.code == 0, told.err
        for name, cache in (("second", True), ("third", False)):
            generated(root, run_id=name, mcp_config=config, cache=cache)
    folders = {name: run_folder(root, name) for name in ("first", "second", "third")}
    return SimpleNamespace(root=root, told=told, folders=folders)


@pytest.mark.feature("T-12")
def test_the_report_says_who_served_what(finished):
    run = run_of(finished.folders["first"])
    [served] = [tool_call for tool_call in run["tool_calls"] if tool_call["tool"] == CONTEXT]
    # One search is for the request, and one for what documents and tests say of the target.
    assert (served["served_by"], served["calls"], served["failed"]) == ("search", 2, 0)
    assert {tool_call["served_by"] for tool_call in run["tool_calls"] if tool_call["tool"] != CONTEXT} == {"built-in"}
    [server] = run["tool_servers"]
    assert (server["name"], server["tools"], server["restarts"], server["state"]) == ("search", [CONTEXT], 0, "ready")
    [warning] = run["warnings"]
    assert warning.startswith("lint_code is not served by the tool server 'search'")
    assert warning in finished.told.err
    page = (finished.folders["first"] / "report.md").read_text("utf-8")
    assert f"| `{CONTEXT}` | search | 2 |" in page
    assert f"- {warning}" in page


@pytest.mark.feature("T-12")
def test_what_a_server_was_given_in_confidence_is_stored_nowhere(finished):
    state = finished.root / ".testwright"
    for path in [one for one in state.rglob("*") if one.is_file()]:
        assert b"given-to-the-server-only" not in path.read_bytes(), path
    assert "given-to-the-server-only" not in finished.told.out + finished.told.err
    assert "${SEARCH_TOKEN}" in (finished.folders["first"] / "report.json").read_text("utf-8")


@pytest.mark.feature("A-09", "P-11")
def test_a_run_over_an_unchanged_tree_hits_the_cache_and_comes_to_the_same(finished):
    first, second, third = (run_of(folder) for folder in finished.folders.values())
    assert [run["cache"] for run in (first, third)] == [
        {"kept_in": "sqlite", "cache_hits": 0, "explored_before": []},
        {"kept_in": "memory", "cache_hits": 0, "explored_before": []},
    ]
    hits = {tool_call["tool"]: tool_call["cached"] for tool_call in second["tool_calls"]}
    assert {tool for tool, number in hits.items() if number} >= READ_ONLY
    known = ["src/small/names.py"]  # the third run has no cache to know it from
    assert second["cache"] == {"kept_in": "sqlite", "cache_hits": sum(hits.values()), "explored_before": known}
    assert all(hits.get(tool, 0) == 0 for tool in ("run_tests", "verify_suite", "write_file", "accept_tests", CONTEXT))
    works = [work_of(folder) for folder in finished.folders.values()]
    reports = [report_of(folder) for folder in finished.folders.values()]
    assert works[0] == works[1] == works[2]
    assert reports[0] == reports[1] == reports[2]


@pytest.mark.feature("A-09")
def test_a_cache_that_vanishes_or_breaks_in_mid_run_does_no_harm(finished, tmp_path):
    root = make_project(tmp_path / "project", ONE)
    file = load_settings({"root": root}).cache_dir / "responses.sqlite"
    done = []

    def spoil(event):
        if event.type is EventType.PLAN_READY:
            file.write_bytes(b"no database " * 2000)
            done.append("broken")
        if event.type is EventType.TESTS_RUN:
            for one in file.parent.glob("responses.sqlite*"):
                one.unlink()
            done.append("gone")

    report = generated(root, run_id="spoilt", on_event=spoil)
    assert set(done) == {"broken", "gone"}
    assert report.exit_code == 0
    assert len(report.run.warnings) <= 1
    assert work_of(run_folder(root, "spoilt")) == work_of(finished.folders["third"])


@pytest.mark.feature("T-12")
def test_servers_that_the_projects_own_file_names_are_not_started_unasked(tmp_path, monkeypatch):
    server = entry("good", tmp_path)
    args = ", ".join(map(json.dumps, server["args"]))
    settings = f"[mcp-servers.search]\ncommand = {json.dumps(server['command'])}\nargs = [{args}]\n"
    root = make_project(tmp_path / "project", {**ONE, "testwright.toml": settings})
    report = generated(root, run=False)
    assert not (tmp_path / "calls").exists()
    assert report.run.tool_servers == ()
    [warning] = report.run.warnings
    assert 'mcp_servers = ["search"]' in warning
    assert "--trust-project" in warning
    report = generated(root, run=False, trust_project=True)
    assert (tmp_path / "calls").exists()
    assert [tool_server.name for tool_server in report.run.tool_servers] == ["search"]


@pytest.mark.feature("T-12")
def test_a_server_that_does_not_start_ends_the_run_with_its_last_words(tmp_path):
    root = make_project(tmp_path / "project", ONE)
    with pytest.raises(EnvironmentFault, match="cannot find the licence") as caught:
        generated(root, mcp_servers={"search": entry("exits")})
    assert caught.value.exit_code == 3
    assert "abcdef123456" not in caught.value.message


@pytest.mark.feature("T-12", "P-11")
def test_ctrl_c_ends_the_servers_and_their_children(tmp_path):
    root = make_project(tmp_path / "project", ONE)
    config = tmp_path / "servers.json"
    config.write_text(json.dumps({"mcpServers": {"search": entry("stubborn", tmp_path)}}))
    held = tmp_path / "held"
    with started_command(*ASKED, str(root), "--mcp-config", str(config), cwd=tmp_path) as process:
        while not held.exists() and process.poll() is None:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate()
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert is_released(held)
