"""Starts PgBouncer in front of the tests' PostgreSQL."""

from __future__ import annotations

import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from testwright.tests.support.store.postgres_server import PostgresServer

_PATIENCE = 60.0


@contextmanager
def pgbouncer(server: PostgresServer, mode: str) -> Iterator[str]:
    """Yield the URL of the database through a pooler of this mode ("session", "transaction")."""
    # It refuses to be root, and who it becomes needs a way to the server's socket file.
    server.folder.chmod(0o755)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    lines = [
        "[databases]",
        f"postgres = host={server.folder} user=admin dbname=postgres",
        "[pgbouncer]",
        "listen_addr = 127.0.0.1",
        f"listen_port = {port}",
        "unix_socket_dir =",
        "auth_type = any",
        f"pool_mode = {mode}",
    ]
    with tempfile.TemporaryDirectory(prefix="tw-pool-") as name:
        settings = Path(name, "pgbouncer.ini")
        settings.write_text("\n".join(lines) + "\n")
        settings.parent.chmod(0o755)
        process = subprocess.Popen(
            ["pgbouncer", "-q", "-u", "nobody", str(settings)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            _wait_for(process, port)
            yield f"postgresql://admin@127.0.0.1:{port}/postgres"
        finally:
            process.terminate()
            process.wait()


def _wait_for(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + _PATIENCE
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert process.poll() is None, "PgBouncer has ended"
        assert time.monotonic() < deadline, "PgBouncer does not listen"
        time.sleep(0.02)
