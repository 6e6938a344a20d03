"""Starts external servers beside the built-in tools, for tests."""

from __future__ import annotations

import fcntl
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil

from testwright.config.tool_servers import servers_from
from testwright.mcp.tool_client.external.server import external_servers
from testwright.mcp.tool_client.tool_client import ToolClient
from testwright.mcp.toolbox.services import ToolServices
from testwright.mcp.toolbox.toolbox import build_toolbox

_PATIENCE = 60.0
SERVER = Path(__file__).with_name("external_server.py")


def entry(mode: str, argument: str | Path = "", **more: Any) -> dict[str, Any]:
    """An `mcpServers` entry for `external_server.py`, in one of its modes."""
    return {
        "command": sys.executable,
        "args": ["-I", "-S", str(SERVER), mode, *([str(argument)] if argument else [])],
        **more,
    }


@asynccontextmanager
async def opened(
    services: ToolServices,
    entries: Mapping[str, Mapping[str, Any]],
    *,
    environment: Mapping[str, str] | None = None,
    warn: Callable[[str], None] | None = None,
) -> AsyncIterator[ToolClient]:
    """A client over the built-in tools and these servers."""
    servers = external_servers(
        servers_from(entries), os.environ if environment is None else environment, root=services.root
    )
    async with ToolClient(build_toolbox(services), servers=servers, root=services.root, warn=warn) as client:
        yield client


def is_held(lock: Path) -> bool:
    """Whether a process lives that holds this lock, in whatever namespace."""
    with lock.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def is_released(lock: Path) -> bool:
    """Whether all processes that hold this lock end, if only after the system has got round to it."""
    deadline = time.monotonic() + _PATIENCE
    while is_held(lock):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def all_end(pids: Iterable[int | str]) -> bool:
    """Whether these processes end, if only after the system has got round to it."""
    deadline = time.monotonic() + _PATIENCE
    while not all(has_ended(int(pid)) for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def has_ended(pid: int) -> bool:
    """Whether a process is gone, or only waits to be collected by somebody else."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
