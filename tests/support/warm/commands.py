"""Command lines of programs that need not load themselves: for tests whose subject is not how a process starts.

A program that has loaded testwright once forks itself for each of them. The words are those of a real command line, and
folder, environment, standard streams, signals and exit code are those of the process that a test starts. Different from
it are what an interpreter reads of the environment when it starts (`PYTHON…`, the locale), the process's id, and that
commands of one server hash alike: tests of these, and comparisons of runs with one another, start the real command.
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

_HERE = Path(__file__).parent
ROOT = _HERE.parents[2]
_PATIENCE = 30.0


def warm_command(*words: str) -> list[str]:
    """As `python main.py WORDS`."""
    return [*_beginning(), str(ROOT / "main.py"), *words]


def warm_module(name: str, *words: str) -> list[str]:
    """As `python -m NAME WORDS`."""
    return [*_beginning(), "-m", name, *words]


@functools.cache
def _beginning() -> tuple[str, ...]:
    """Start the server, which ends with this process; what a command line begins with that it carries out."""
    folder = Path(tempfile.mkdtemp(prefix="tw-warm-"))
    place = folder / "commands"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(place))
        listener.listen(64)
        server = subprocess.Popen(
            [sys.executable, str(_HERE / "server.py"), str(listener.fileno())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[listener.fileno()],
            start_new_session=True,
        )
    atexit.register(_end, server, folder, os.getpid())
    return (sys.executable, "-I", "-S", str(_HERE / "stub.py"), str(place))


def _end(server: subprocess.Popen[bytes], folder: Path, starter: int) -> None:
    if os.getpid() == starter:  # a fork of the starter, which runs this as well, has no server of its own
        assert server.stdin is not None
        server.stdin.close()
        try:
            server.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            server.kill()
        shutil.rmtree(folder, ignore_errors=True)
