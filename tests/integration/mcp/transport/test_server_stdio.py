"""`python main.py mcp serve` as a client starts it: calls, cancellation, disconnection, end."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import anyio
import psutil
import pytest
from mcp import Client
from typer.testing import CliRunner

from testwright.cli.app import app
from testwright.tests.support.mcp.serving import Progress, data, project_with_endless_test, server_process, stdio_server
from testwright.tests.support.projects.files import tree

pytestmark = pytest.mark.feature("T-11", "B-10")
NUMBERS = "src/small/numbers.py"
ENDLESS = {"test_path": "tests/test_endless.py", "options": {"test_seconds": 600, "wall_seconds": 3600}}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return project_with_endless_test(tmp_path / "small")


async def test_a_client_lists_calls_cancels_and_goes_on(project: Path) -> None:
    before = tree(project)
    async with Client(stdio_server(project)) as client:
        server = server_process(project)
        tools = {tool.name for tool in (await client.list_tools()).tools}
        progress = Progress()
        asked = {"request": f"unit tests for {NUMBERS}"}
        made = data(await client.call_tool("generate_tests", asked, progress_callback=progress))
        report = await client.read_resource(made["resources"]["report_json"])
        with anyio.CancelScope() as scope:

            async def once_it_runs(_: str) -> None:
                if server.children(recursive=True):
                    scope.cancel()

            await client.call_tool("run_tests", ENDLESS, progress_callback=Progress(once_it_runs))
        # A project has one run at a time, so this answer comes when the cancelled one has ended.
        again = data(await client.call_tool("resume_run", {"run_id": made["run_id"]}))
        listed = data(await client.call_tool("list_runs", {}))["runs"]
        left = server.children(recursive=True)
    assert {"generate_tests", "validate_test_spec", "run_tests"} <= tools
    assert made["counts"]["kept"] > 0
    assert json.loads(report.contents[0].model_dump()["text"])["totals"]["kept"] == made["counts"]["kept"]
    assert progress.values == sorted(set(progress.values))
    assert scope.cancelled_caught
    assert again["counts"] == made["counts"]
    assert [(one["kind"], one["status"]) for one in listed] == [("resume_run", "completed"), ("run_tests", "failed")]
    assert left == []
    assert not server.is_running()
    assert tree(project) == before


@pytest.mark.parametrize("leaving", ["closes its end", "asks to end"])
async def test_a_client_that_vanishes_in_mid_call_leaves_no_process(project: Path, leaving: str) -> None:
    parameters = stdio_server(project)
    process = await asyncio.create_subprocess_exec(
        parameters.command,
        *parameters.args,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=project,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        began = [
            _request(1, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=_CLIENT),
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            _request(2, "tools/call", name="run_tests", arguments=ENDLESS, _meta={"progressToken": 1}),
        ]
        process.stdin.writelines(json.dumps(one).encode() + b"\n" for one in began)
        server, ours = psutil.Process(process.pid), list[psutil.Process]()
        while not ours:
            assert await process.stdout.readline(), "the server ended by itself"
            ours = server.children(recursive=True)
        if leaving == "asks to end":
            process.send_signal(signal.SIGTERM)
        else:
            process.stdin.close()
        while await process.stdout.read(65536):
            pass
        code = await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    await asyncio.to_thread(psutil.wait_procs, ours, 60)
    # Where nobody collects orphans they stay on the list although they have ended.
    assert [one for one in ours if one.is_running() and one.status() != psutil.STATUS_ZOMBIE] == []
    assert code == 0


_CLIENT = {"name": "test", "version": "1"}


def _request(number: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--root", "missing"], "does not exist"),
        (["--token-env", "SOME_TOKEN"], "--http"),
        (["--http", "8080"], "HOST:PORT"),
        (["--http", "127.0.0.1:0", "--token-env", "NO_SUCH_TOKEN"], "NO_SUCH_TOKEN"),
        (["--http", "192.0.2.1:0"], "192.0.2.1"),
    ],
)
def test_wrong_options_are_refused_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = CliRunner().invoke(app, ["mcp", "serve", *arguments])
    assert ended.exit_code in (2, 3)
    assert said in ended.stderr
    assert ended.stdout == ""
