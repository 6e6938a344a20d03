"""Child processes that say when they have got somewhere, and can be killed there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def child(script: str) -> Iterator[subprocess.Popen[str]]:
    """A Python process running the code; killed, if it still lives, when the block is left."""
    process = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()


def wait_for_line(process: subprocess.Popen[str], wanted: str) -> None:
    """Read the child's output up to a line that begins with `wanted`."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(wanted):
            return
    raise AssertionError(f"the child ended without saying {wanted!r}")
