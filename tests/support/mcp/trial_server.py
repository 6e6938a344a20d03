"""A server with tools that wait, print and fail, over the product's transports.

`python -m testwright.tests.support.mcp.trial_server stdio`, or with the options of HTTP as a JSON
object. Lines on stderr tell what its calls go through, so that nobody has to guess when they have got somewhere.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.tools import Tool

from testwright.mcp.sdk import new_server
from testwright.mcp.serving.transport.http_server import serve_http
from testwright.mcp.serving.transport.options import HttpOptions
from testwright.mcp.serving.transport.stdio import serve_stdio


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def add(a: int, b: int) -> int:
    """A sum."""
    return a + b


def shout(text: str) -> str:
    """Prints where a careless library would: on stdout, through Python, through the descriptor, and from a child."""
    print(text)
    os.write(1, f"{text}\n".encode())
    subprocess.run(["echo", text], check=True)
    return "shouted"


async def wait() -> str:
    """Waits until it is cancelled."""
    _tell("waiting")
    try:
        await asyncio.Event().wait()
    finally:
        _tell("no longer waiting")
    return "never"


async def read_fifo(path: str) -> str:
    """Answers with what is written into a named pipe."""
    _tell("at the pipe")
    return await asyncio.to_thread(Path(path).read_text)


class Gate:
    """Two tools: one waits at the gate, the other opens it."""

    def __init__(self) -> None:
        self._open = asyncio.Event()

    async def pass_gate(self) -> str:
        """Answers once the gate is open."""
        _tell("at the gate")
        await self._open.wait()
        return "passed"

    async def open_gate(self) -> str:
        """Opens the gate."""
        self._open.set()
        return "open"


def explode() -> str:
    """Fails in a way nobody foresaw."""
    raise RuntimeError("secret detail")


def trial_server() -> MCPServer[Any]:
    """The server."""
    gate = Gate()
    functions = (add, shout, wait, read_fifo, gate.pass_gate, gate.open_gate, explode)
    return new_server("trial", version="1", tools=[Tool.from_function(function) for function in functions])


async def _serve(how: str) -> None:
    server = trial_server()
    if how == "stdio":
        await serve_stdio(server, message_limit_bytes=100_000)
    else:
        await serve_http(server, HttpOptions(**json.loads(how)))


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1]))
