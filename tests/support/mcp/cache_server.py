"""Starts a Redis server for tests, on a socket file, without persistence."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import valkey

_PATIENCE = 60.0


@dataclass(frozen=True)
class CacheServer:
    """One that runs. `url` is without its password."""

    process: subprocess.Popen[bytes]
    socket: Path

    @property
    def url(self) -> str:
        """For `cache_url`."""
        return f"unix://{self.socket}"

    def client(self, password: str | None = None) -> valkey.Valkey:
        """A plain client."""
        return valkey.Valkey(unix_socket_path=str(self.socket), password=password)

    def stop(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait()


@contextmanager
def cache_server(password: str | None = None) -> Iterator[CacheServer]:
    """Start a server; it has ended when the block is left.

    Raises:
        RuntimeError: there is no redis-server on this machine.
    """
    program = shutil.which("redis-server") or shutil.which("valkey-server")
    if program is None:
        raise RuntimeError("these tests need a Redis server: apt install redis-server")
    # Paths of sockets are short: pytest's own folders may be too long.
    with tempfile.TemporaryDirectory(prefix="tw-", ignore_cleanup_errors=True) as folder:
        socket = Path(folder) / "s"
        options = ["--port", "0", "--unixsocket", str(socket), "--save", "", "--appendonly", "no", "--dir", folder]
        options += ["--requirepass", password] if password else []
        process = subprocess.Popen([program, *options], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        server = CacheServer(process, socket)
        try:
            _wait_for(server, password)
            yield server
        finally:
            server.stop()


def _wait_for(server: CacheServer, password: str | None) -> None:
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            with server.client(password) as client:
                client.ping()
            return
        except (valkey.ValkeyError, OSError):
            if server.process.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
