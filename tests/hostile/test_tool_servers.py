"""Tool servers of others that do harm: to our time, to our memory, and by what they leave behind."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from testwright.core.errors import TestwrightError
from testwright.mcp.tool_client.external.own_processes import namespace_command
from testwright.mcp.tool_client.tool_client import ToolClient
from testwright.tests.support.hostile import tool_server
from testwright.tests.support.mcp.external_servers import all_end, is_held, is_released, opened
from testwright.tests.support.mcp.tool_session import make_services

pytestmark = pytest.mark.waits

CONTEXT = "get_codebase_context"
ASKED = {"query": "half of a number"}
MIB = 1 << 20


@asynccontextmanager
async def _client(
    tmp_path: Path, mode: str, warn: Callable[[str], None] | None = None, **more: Any
) -> AsyncIterator[ToolClient]:
    (tmp_path / "traces").mkdir(exist_ok=True)
    argv = ["-I", "-S", str(tool_server.__file__), mode, str(tmp_path / "traces")]
    entry = {"command": sys.executable, "args": argv, "timeout": 5, **more}
    async with opened(make_services(tmp_path), {"evil": entry}, warn=warn) as client:
        yield client


async def _refusal(client: ToolClient) -> str:
    """What a call of the server's tool is refused with; empty where it is answered."""
    try:
        await client.call(CONTEXT, ASKED)
    except TestwrightError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("schema", tool_server.SCHEMAS)
@pytest.mark.parametrize("place", ["input", "output"])
async def test_a_schema_costs_seconds_at_most_and_fetches_nothing(place: str, schema: str, tmp_path: Path) -> None:
    async with _client(tmp_path, f"{place}:{schema}") as client:
        began = time.process_time()
        refusal = await _refusal(client)
        assert time.process_time() - began < 20
        answer = await client.call("get_ast_analysis", {"file_path": "src/shop/cart.py"})
    assert not refusal or "evil" in refusal
    assert answer["module"] == "shop.cart"


@pytest.mark.parametrize("mode", ["asks-and-never-reads", "notifies-without-end", "deep", "lists-without-end"])
async def test_messages_without_end_fill_no_memory(mode: str, tmp_path: Path) -> None:
    process = psutil.Process(os.getpid())
    before = process.memory_info().rss
    try:
        async with _client(tmp_path, mode) as client:
            await _refusal(client)
            grown = process.memory_info().rss - before
    except TestwrightError:  # it never became ready
        grown = process.memory_info().rss - before
    assert grown < 300 * MIB


async def test_a_server_that_asks_and_never_reads_is_told_of_as_broken(tmp_path: Path) -> None:
    told: list[str] = []
    async with _client(tmp_path, "asks-and-never-reads", told.append, timeout=200) as client:
        await _refusal(client)
    assert any("asked more than 1000 times without reading an answer" in line for line in told)


@pytest.fixture
def key_of_a_process() -> Iterator[bytes]:
    """What the environment of a process of ours says."""
    key = f"key-{secrets.token_hex(8)}"
    ours = [sys.executable, "-I", "-S", "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(ours, stdin=subprocess.PIPE, env={"KEY": key}) as process:
        yield key.encode()
        assert process.stdin is not None
        process.stdin.close()


async def test_a_daemon_of_a_server_ends_with_it(tmp_path: Path) -> None:
    async with _client(tmp_path, "daemon") as client:
        await client.call(CONTEXT, ASKED)
        assert is_held(tmp_path / "traces" / "held")
    assert is_released(tmp_path / "traces" / "held")


@pytest.mark.skipif(not namespace_command(), reason="no process namespaces here")
async def test_a_server_sees_no_process_of_ours_and_cannot_save_its_daemon_by_ending_its_guard(
    key_of_a_process: bytes, tmp_path: Path
) -> None:
    async with _client(tmp_path, "kills-its-guard") as client:
        await _refusal(client)
    assert is_released(tmp_path / "traces" / "held")
    seen = (tmp_path / "traces" / "seen").read_bytes()
    assert seen
    assert key_of_a_process not in seen


async def test_a_server_that_leaves_its_group_when_it_should_end_is_ended(tmp_path: Path) -> None:
    process = psutil.Process(os.getpid())
    others = set(process.children(recursive=True))  # such as the browser that tests before it have opened
    async with _client(tmp_path, "outlives") as client:
        await client.call(CONTEXT, ASKED)
        started = set(process.children(recursive=True)) - others
    assert started
    assert all_end([process.pid for process in started])
