"""Sandboxes and programs for tests that run code apart."""

from __future__ import annotations

import sys
import uuid
from functools import cache
from pathlib import Path

import psutil
import pytest

from testwright.core.errors import SandboxUnavailable
from testwright.sandbox.opening import open_sandbox
from testwright.sandbox.protocol import Limits, Program, Sandbox, SandboxKind

PATIENT = Limits(wall_seconds=120)


@cache  # opening one tries out what works on this machine, which stays so
def needed_sandbox(kind: SandboxKind) -> Sandbox:
    """The sandbox, or a failed test where this machine has none of that kind."""
    try:
        return open_sandbox(kind)
    except SandboxUnavailable as reason:
        pytest.fail(f"no {kind} sandbox here: {reason.message}")


def python_program(
    code: str,
    folder: Path,
    *arguments: str,
    limits: Limits = PATIENT,
    stdin: bytes = b"",
    environment: dict[str, str] | None = None,
    readable: tuple[Path, ...] = (),
    writable: tuple[Path, ...] | None = None,
) -> Program:
    """Our own interpreter running `code` in `folder`, which it may write unless `writable` says otherwise."""
    return Program(
        argv=(sys.executable, "-c", code, *arguments),
        cwd=folder,
        environment=environment or {},
        readable=(folder, *readable),
        writable=(folder,) if writable is None else writable,
        limits=limits,
        stdin=stdin,
    )


def new_marker() -> str:
    """An argument by which one test, and no other, finds its processes."""
    return f"marker-{uuid.uuid4().hex}"


def marked(marker: str) -> list[psutil.Process]:
    """Live processes that carry a marker among their arguments."""
    found = []
    for process in psutil.process_iter():
        try:
            if marker in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found
