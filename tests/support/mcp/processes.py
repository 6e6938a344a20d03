"""Starts MCP servers as processes, waits for their output, and always ends them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from testwright.tests.support.warm.commands import warm_module

ROOT = Path(__file__).resolve().parents[3]
PRODUCT = [sys.executable, str(ROOT / "main.py"), "mcp", "serve"]
FIXTURES = [sys.executable, "-m", "testwright.tests.support.mcp.conformance_server"]
_WAIT_SECONDS = 120.0


def trial_command() -> list[str]:
    """The command of `trial_server.py`, whose options are still to be added; how it starts is no subject of a test."""
    return warm_module("testwright.tests.support.mcp.trial_server")


@dataclass
class Log:
    """What a process says on stderr, line by line."""

    lines: list[str] = field(default_factory=list)
    ended: bool = False
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def follow(self, stream: Any) -> None:
        """Read to the end; for a thread."""
        for line in stream:
            with self._changed:
                self.lines.append(line.rstrip("\n"))
                self._changed.notify_all()
        with self._changed:
            self.ended = True
            self._changed.notify_all()

    def wait_for(self, wanted: str, times: int = 1) -> str:
        """The line that brings the number of lines beginning with `wanted` to `times`.

        Raises:
            AssertionError: the process ended without it.
        """

        def found() -> list[str]:
            return [line for line in self.lines if line.startswith(wanted)]

        with self._changed:
            self._changed.wait_for(lambda: len(found()) >= times or self.ended, _WAIT_SECONDS)
            assert len(found()) >= times, f"never said {wanted!r} {times} times:\n" + "\n".join(self.lines)
            return found()[times - 1]


@dataclass
class Served:
    """A running server.

    Attributes:
        url: where it listens; empty over stdio.
    """

    process: subprocess.Popen[str]
    log: Log
    url: str = ""

    def stop(self) -> int:
        """Ask it to stop; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(_WAIT_SECONDS)

    def children(self) -> list[psutil.Process]:
        """The processes below it, at any depth."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def send(self, message: Any) -> None:
        """One line on its stdin: JSON, or a text as it is."""
        assert self.process.stdin is not None
        self.process.stdin.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """The next line on its stdout, which must be a JSON-RPC message."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the server ended:\n" + "\n".join(self.log.lines)
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        return message

    def answer(self, request_id: Any) -> dict[str, Any]:
        """The next message that answers this request."""
        while True:
            message = self.receive()
            if message.get("id") == request_id and "method" not in message:
                return message


@contextmanager
def over_stdio(
    command: Sequence[str], *arguments: str, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Iterator[Served]:
    """A server over its own stdin and stdout."""
    with _started([*command, *arguments], env, cwd, subprocess.PIPE) as served:
        yield served


@contextmanager
def over_http(
    command: Sequence[str], *arguments: str, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Iterator[Served]:
    """A server on a free port of loopback that already listens."""
    with _started([*command, *arguments], env, cwd, subprocess.DEVNULL) as served:
        said = "listening on "
        served.url = served.log.wait_for(said).removeprefix(said)
        yield served


@contextmanager
def product_over_http(project: Path, *arguments: str, env: Mapping[str, str] | None = None) -> Iterator[Served]:
    """`python main.py mcp serve` over HTTP, for one project."""
    with over_http(PRODUCT, "--http", "127.0.0.1:0", "--root", str(project), *arguments, env=env) as served:
        yield served


@contextmanager
def _started(command: Sequence[str], env: Mapping[str, str] | None, cwd: Path | None, stdin: int) -> Iterator[Served]:
    process = subprocess.Popen(
        command,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env={**os.environ, **(env or {})},
    )
    served = Served(process, Log())
    reader = threading.Thread(target=served.log.follow, args=(process.stderr,), daemon=True)
    reader.start()
    try:
        yield served
    finally:
        _end(served)
        reader.join()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def _end(served: Served) -> None:
    below = served.children() if served.process.poll() is None else []
    served.process.kill()
    served.process.wait()
    for child in below:
        if child.is_running():
            child.kill()
