"""Several clients over HTTP: each sees its own runs; the same server serves both forms of the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from mcp import Client

from testwright.app.mcp_application import served_application
from testwright.mcp.serving.backend import McpBackend
from testwright.mcp.serving.product_server import ServerOptions, build_server
from testwright.mcp.serving.sessions import SESSION_META
from testwright.mcp.serving.transport.http_server import serve_http
from testwright.mcp.serving.transport.options import HttpOptions
from testwright.tests.support.mcp.serving import (
    Children,
    Progress,
    ScriptedApplication,
    a_report,
    data,
    project_with_endless_test,
)

pytestmark = pytest.mark.feature("T-11", "B-10")
NAMED = {SESSION_META: "a name that nobody guesses"}


@asynccontextmanager
async def listening(application: McpBackend, root: Path) -> AsyncIterator[str]:
    """The URL of a server in this process."""
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    server = build_server(application, ServerOptions([root], heartbeat_seconds=0.05))
    serving = asyncio.create_task(serve_http(server, HttpOptions(shutdown_seconds=1), ready=ready.set_result))
    try:
        await asyncio.wait({ready, serving}, return_when=asyncio.FIRST_COMPLETED)
        yield ready.result()
    finally:
        serving.cancel()
        await asyncio.wait({serving})


async def test_clients_with_sessions_list_their_own_runs_only(tmp_path: Path) -> None:
    application = ScriptedApplication({"generate_tests": a_report()})
    async with (
        listening(application, tmp_path) as url,
        Client(url, mode="legacy") as one,
        Client(url, mode="legacy") as other,
    ):
        made = data(await one.call_tool("generate_tests", {"request": "x"}))
        application.keep(tmp_path, made["run_id"], files=["report.md"]).report_md.write_text("# R\n", "utf-8")
        listed = [data(await each.call_tool("list_runs", {}))["runs"] for each in (one, other)]
        resources = [(await each.list_resources()).resources for each in (one, other)]
        report = await other.read_resource(made["resources"]["report"])
    assert [[run["run_id"] for run in runs] for runs in listed] == [[made["run_id"]], []]
    assert [len(resource) for resource in resources] == [1, 0]
    assert report.contents[0].model_dump()["text"] == "# R\n"


async def test_a_client_without_session_keeps_ids_or_names_a_session(tmp_path: Path) -> None:
    application = ScriptedApplication({"generate_tests": a_report()})
    async with listening(application, tmp_path) as url:
        async with Client(url) as client:
            first = data(await client.call_tool("generate_tests", {"request": "x"}))["run_id"]
            second = data(await client.call_tool("generate_tests", {"request": "x"}, meta=NAMED))["run_id"]  # pyrefly: ignore[bad-argument-type]
            application.keep(tmp_path, first)
            application.keep(tmp_path, second)
            nameless = data(await client.call_tool("list_runs", {}))
        async with Client(url) as client:
            named = data(await client.call_tool("list_runs", {}, meta=NAMED))  # pyrefly: ignore[bad-argument-type]
            by_id = data(await client.call_tool("get_report", {"run_id": first}))
    assert nameless["runs"] == []
    assert SESSION_META in nameless["note"]
    assert [run["run_id"] for run in named["runs"]] == [second]
    assert by_id["run_id"] == first


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_call_that_is_cancelled_over_http_leaves_no_process(tmp_path: Path, mode: str) -> None:
    root = project_with_endless_test(tmp_path / "small")
    (root / "Makefile").write_text("build:\n\ttrue\n", "utf-8")
    children = Children()
    async with (
        served_application({}) as application,
        listening(application, root) as url,
        Client(url, mode=mode) as client,
    ):
        with anyio.CancelScope() as scope:

            async def once_it_runs(_: str) -> None:
                if children():
                    scope.cancel()

            asked = {"test_path": "tests/test_endless.py", "options": {"test_seconds": 600, "wall_seconds": 3600}}
            await client.call_tool("run_tests", asked, progress_callback=Progress(once_it_runs))
        # A project has one run at a time, so this answer comes when the cancelled one has ended.
        built = data(await client.call_tool("run_build", {}))
    assert scope.cancelled_caught
    assert built["status"] == "passed"
    assert children() == []
