"""One hostile project among those that an MCP server serves: it silences none of the others, and forges no answers."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from mcp import Client

from testwright.app.opened_store import open_store
from testwright.config.settings import load_settings
from testwright.store.files.run_folder import RunFolder
from testwright.tests.support.hostile.projects import hostile_project
from testwright.tests.support.mcp.serving import data, real_client, told

REPORT_TOOLS = ("get_report", "run_status", "resume_run")


@pytest.fixture(autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path_factory.mktemp("home")))


def _project(root: Path, *run_ids: str) -> Path:
    """A project with these runs, begun here and ended without a report."""
    where = load_settings({"root": hostile_project(root)})
    for run_id in run_ids:
        RunFolder(where.state, run_id).create()
        with open_store(where, begins=True) as store:
            store.runs.create(run_id, request="unit tests", root=str(root), settings={}, version="0.1.0")
            store.runs.start(run_id)
            store.runs.finish(run_id, status="failed", exit_reason="failed", exit_code=1)
    return root


def _leads_out(root: Path) -> None:
    (root / ".testwright").rename(root / "elsewhere")
    (root / ".testwright").symlink_to(root.parent)


def _no_database(root: Path) -> None:
    database = load_settings({"root": root}).database_folder / "testwright.db"
    database.write_bytes(b"no database at all " * 400)


@pytest.mark.parametrize("harm", [_leads_out, _no_database])
async def test_a_project_that_cannot_be_read_is_named_beside_the_answers_of_the_others(harm, tmp_path: Path) -> None:
    evil, good = _project(tmp_path / "evil", "theirs"), _project(tmp_path / "good", "mine")
    harm(evil)
    async with real_client(evil, good) as client:
        listed = data(await client.call_tool("list_runs", {"scope": "project"}))
        report = data(await client.call_tool("get_report", {"run_id": "mine"}))
        status = data(await client.call_tool("run_status", {"run_id": "mine", "wait_seconds": 1}))
        applied = told(await client.call_tool("apply_tests", {"run_id": "mine"}))
        missing = told(await client.call_tool("get_report", {"run_id": "theirs"}))
    assert [row["run_id"] for row in listed["runs"]] == ["mine"]
    assert [fault["root"] for fault in listed["faults"]] == ["evil"]
    assert listed["faults"][0]["message"]
    assert (report["root"], status["status"]) == ("good", "failed")
    assert "no report yet" in applied["message"]
    assert missing["type"] == "RunNotFound"
    assert "evil cannot be read" in missing["message"]


FORGED = ["[" * 200_000, "[]", "7", '{"totals": 7, "run": []}', '{"files": [{"outcome": 1}]}', "\udcff"]


async def _answers(client: Client, *tools: str) -> list[dict]:
    return [told(await client.call_tool(tool, {"run_id": "mine"})) for tool in tools]


@pytest.mark.parametrize("content", FORGED, ids=range(len(FORGED)))
async def test_a_forged_report_is_a_typed_error_and_no_defect_of_ours(content: str, tmp_path: Path) -> None:
    root = _project(tmp_path / "project", "mine")
    folder = RunFolder(root / ".testwright", "mine")
    folder.report_json.write_bytes(content.encode("utf-8", "surrogateescape"))
    folder.report_md.write_text("# forged")
    async with real_client(root) as client:
        found = await _answers(client, *REPORT_TOOLS, "apply_tests")
        results = {"results_path": "testwright://runs/mine/report.json"}
        found.append(told(await client.call_tool("analyze_test_results", results)))
        (row,) = data(await client.call_tool("list_runs", {"scope": "project"}))["runs"]
    assert (row["run_id"], row["kept"], row["report"]) == ("mine", None, None)
    for error in found[:3] + found[4:]:
        assert (error["type"], "does not read" in error["message"]) == ("StoreCorrupt", True), error
    assert not any(error["details"].get("defect") for error in found)


@pytest.mark.parametrize(
    "forged",
    [{"dropped": [7], "passed": 1}, {"dropped": [], "passed": "x"}, {"results": 7}, {"dropped": [], "spec": 7}],
)
async def test_forged_results_are_no_results(forged: dict, tmp_path: Path) -> None:
    root = _project(tmp_path / "project", "mine")
    (RunFolder(root / ".testwright", "mine").path / "results.json").write_text(json.dumps(forged))
    async with real_client(root) as client:
        asked = {"results_path": "testwright://runs/mine/results.json"}
        error = told(await client.call_tool("analyze_test_results", asked))
    assert "holds no test results" in error["message"]


async def test_a_forged_row_hides_no_other_run_of_its_project(tmp_path: Path) -> None:
    root = _project(tmp_path / "project", "bad", "mine")
    database = load_settings({"root": root}).database_folder / "testwright.db"
    with closing(sqlite3.connect(database)) as forging, forging:
        forging.execute("UPDATE runs SET status = 7, created_at = 'x', spent = '[' WHERE run_id = 'bad'")
    async with real_client(root) as client:
        listed = data(await client.call_tool("list_runs", {"scope": "project"}))
        error = told(await client.call_tool("get_report", {"run_id": "bad"}))
    assert [row["run_id"] for row in listed["runs"]] == ["mine"]
    assert error["type"] == "StoreCorrupt"
    assert "run bad does not read" in error["message"]
