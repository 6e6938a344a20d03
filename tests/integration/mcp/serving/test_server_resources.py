"""Details of runs are read in pages, from inside the run's folder only; a session lists its own runs only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcp import Client, MCPError
from mcp.types import TextResourceContents

from testwright.core.events import EventType
from testwright.mcp.serving.product_server import ServerOptions, build_server
from testwright.mcp.serving.resources import EVENTS_EACH, PAGE_CHARS
from testwright.mcp.serving.sessions import SESSION_META
from testwright.store.files.event_log import EventLog
from testwright.tests.support.mcp.serving import ScriptedApplication, a_report, data, scripted_client

pytestmark = pytest.mark.feature("B-10")


def texts(contents: object) -> list[str]:
    """The texts of what a resource gave."""
    assert isinstance(contents, list)
    assert all(isinstance(content, TextResourceContents) for content in contents)
    return [content.text for content in contents]


async def test_a_document_is_read_by_its_run_id_from_any_session(tmp_path: Path) -> None:
    application = ScriptedApplication()
    folder = application.keep(tmp_path, "nightly")
    folder.report_md.write_text("# Report\n", "utf-8")
    folder.plan_json.write_text("{}", "utf-8")
    (folder.specs / "cart.json").write_text('{"cases": []}', "utf-8")
    (folder.staged / "tests").mkdir()
    (folder.staged / "tests" / "test_cart.py").write_text("x = 1\n", "utf-8")
    base = "testwright://runs/nightly"
    async with scripted_client(application, tmp_path) as client:
        found = {
            part: texts((await client.read_resource(f"{base}/{part}")).contents)
            for part in ("report.md", "report", "plan.json", "specs/cart.json", "tests/tests/test_cart.py")
        }
    assert found == {
        "report.md": ["# Report\n"],
        "report": ["# Report\n"],
        "plan.json": ["{}"],
        "specs/cart.json": ['{"cases": []}'],
        "tests/tests/test_cart.py": ["x = 1\n"],
    }


@pytest.mark.parametrize(
    "part",
    [
        "specs/..%2F..%2Fsecret.txt",
        "tests/../../secret.txt",
        "tests/%2Fetc%2Fhostname",
        "tests/link.py",
        "tests/folder/secret.txt",
        "specs/%00",
        "lock",
        "checkpoints.sqlite",
        "report.json",
    ],
)
async def test_nothing_but_a_run_s_own_details_can_be_read(tmp_path: Path, part: str) -> None:
    application = ScriptedApplication()
    folder = application.keep(tmp_path, "r")
    (tmp_path / "secret.txt").write_text("secret", "utf-8")
    (folder.path / "secret.txt").write_text("secret", "utf-8")
    (folder.staged / "link.py").symlink_to(tmp_path / "secret.txt")
    (folder.staged / "folder").symlink_to(tmp_path)
    async with scripted_client(application, tmp_path) as client:
        with pytest.raises(MCPError) as refused:
            await client.read_resource(f"testwright://runs/r/{part}")
    assert refused.value.code == -32602
    assert "secret" not in str(refused.value).replace("secret.txt", "")


async def test_a_run_of_a_project_that_is_not_served_is_not_found(tmp_path: Path) -> None:
    application = ScriptedApplication()
    (tmp_path / "other").mkdir()
    (tmp_path / "served").mkdir()
    application.keep(tmp_path / "other", "r").report_md.write_text("x", "utf-8")
    async with scripted_client(application, tmp_path / "served") as client:
        with pytest.raises(MCPError, match="no run 'r'"):
            await client.read_resource("testwright://runs/r/report.md")


async def test_a_large_text_comes_in_pages_that_say_where_the_next_one_is(tmp_path: Path) -> None:
    application = ScriptedApplication()
    text = "".join(f"line {number} ä\n" for number in range(30_000))
    assert len(text) > 2 * PAGE_CHARS
    application.keep(tmp_path, "r").report_md.write_text(text, "utf-8")
    pages: list[str] = []
    async with scripted_client(application, tmp_path) as client:
        uri: str | None = "testwright://runs/r/report.md"
        while uri is not None:
            contents = (await client.read_resource(uri)).contents
            pages.append(texts(contents)[0])
            uri = (contents[0].meta or {}).get("testwright/next")
            if uri is not None:
                assert contents[1].uri == uri
                assert uri in texts(contents)[1]
    assert len(pages) == 3 + (len(text) > 3 * PAGE_CHARS)
    assert "".join(pages) == text


async def test_events_are_read_from_where_the_last_page_ended(tmp_path: Path) -> None:
    application = ScriptedApplication()
    folder = application.keep(tmp_path, "r")
    log = EventLog(folder.events_jsonl, lambda value: value)
    for number in range(EVENTS_EACH + 5):
        log.emit(EventType.PROGRESS, f"event {number}")
    async with scripted_client(application, tmp_path) as client:
        first = json.loads(texts((await client.read_resource("testwright://runs/r/events")).contents)[0])
        second = json.loads(texts((await client.read_resource(first["next"])).contents)[0])
        log.emit(EventType.COMPLETE, "done")
        third = json.loads(texts((await client.read_resource(second["next"])).contents)[0])
    log.close()
    assert [len(one["events"]) for one in (first, second, third)] == [EVENTS_EACH, 5, 1]
    assert [one["more"] for one in (first, second, third)] == [True, False, False]
    assert [event["sequence"] for event in second["events"]] == list(range(EVENTS_EACH + 1, EVENTS_EACH + 6))


async def test_a_session_lists_its_own_runs_only_and_reads_any_by_its_id(tmp_path: Path) -> None:
    application = ScriptedApplication({"generate_tests": a_report()})
    server = build_server(application, ServerOptions([tmp_path]))
    async with Client(server) as one, Client(server) as other:
        run_id = data(await one.call_tool("generate_tests", {"request": "x"}))["run_id"]
        folder = application.keep(tmp_path, run_id, files=["report.md", "specs/a.json", "staged/tests/test_a.py"])
        folder.report_md.write_text("# Report\n", "utf-8")
        mine = [resource.uri for resource in (await one.list_resources()).resources]
        theirs = (await other.list_resources()).resources
        listed = [data(await each.call_tool("list_runs", {}))["runs"] for each in (one, other)]
        by_id = await other.read_resource(f"testwright://runs/{run_id}/report.md")
    base = f"testwright://runs/{run_id}"
    assert mine == [f"{base}/report.md", f"{base}/specs/a.json", f"{base}/tests/tests/test_a.py"]
    assert theirs == []
    assert [[run["run_id"] for run in runs] for runs in listed] == [[run_id], []]
    assert texts(by_id.contents) == ["# Report\n"]


async def test_a_client_may_name_a_session_that_outlives_its_connection(tmp_path: Path) -> None:
    application = ScriptedApplication({"generate_tests": a_report()})
    server = build_server(application, ServerOptions([tmp_path]))
    named = {SESSION_META: "a name that nobody guesses"}
    async with Client(server) as client:
        run_id = data(await client.call_tool("generate_tests", {"request": "x"}, meta=named))["run_id"]  # pyrefly: ignore[bad-argument-type]
        application.keep(tmp_path, run_id)
    async with Client(server) as client:
        again = data(await client.call_tool("list_runs", {}, meta=named))  # pyrefly: ignore[bad-argument-type]
        without = data(await client.call_tool("list_runs", {}))
    assert [run["run_id"] for run in again["runs"]] == [run_id]
    assert without["runs"] == []


async def test_a_long_list_of_resources_comes_in_pages(tmp_path: Path) -> None:
    application = ScriptedApplication({"generate_tests": a_report()})
    async with scripted_client(application, tmp_path) as client:
        run_id = data(await client.call_tool("generate_tests", {"request": "x"}))["run_id"]
        application.keep(tmp_path, run_id, files=[f"specs/s{number:03}.json" for number in range(250)])
        seen: list[str] = []
        cursor: str | None = None
        while True:
            page = await client.list_resources(cursor=cursor)
            assert len(page.resources) <= 100
            seen += [resource.uri for resource in page.resources]
            cursor = page.next_cursor
            if cursor is None:
                break
        with pytest.raises(MCPError, match="no such cursor"):
            await client.list_resources(cursor="nonsense")
    assert len(set(seen)) == len(seen) == 250


async def test_a_report_is_read_in_pages_by_clients_that_read_no_resources(tmp_path: Path) -> None:
    application = ScriptedApplication()
    report = application.keep(tmp_path, "r", report=a_report())
    report.report_md.write_text("ä" * 40_000, "utf-8")
    application.keep(tmp_path, "going", status="running", files=["specs/a.json"])
    async with scripted_client(application, tmp_path) as client:
        pages, cursor = [], 0
        while cursor is not None:
            page = data(await client.call_tool("get_report", {"run_id": "r", "cursor": cursor}))
            pages.append(page["text"])
            cursor = page["next_cursor"]
        going = data(await client.call_tool("get_report", {"run_id": "going"}))
    assert "".join(pages) == "ä" * 40_000
    assert (going["status"], going["text"]) == ("running", "")
    assert going["resources"]["specs/a.json"] == "testwright://runs/going/specs/a.json"
