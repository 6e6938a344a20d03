"""Real disks that are full or read-only, for a child process: mounts of its own, made by bubblewrap.

They work for root, too, whom file modes do not stop. Without bubblewrap these tests fail; they are never skipped.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path


def run_on_full_disk(script: str, folder: Path, *, kibibytes: int) -> dict[str, str]:
    """Run Python code to which `folder` is an empty disk of this size; see `_run`."""
    return _run(["--size", str(kibibytes * 1024), "--tmpfs", str(folder)], script)


def run_read_only(script: str, folder: Path) -> dict[str, str]:
    """Run Python code that can only read `folder`; see `_run`."""
    return _run(["--ro-bind", str(folder), str(folder)], script)


def run_without_privileges(script: str) -> dict[str, str]:
    """Run Python code as a user whom file modes stop, whoever runs the tests; see `_run`."""
    return _run(["--unshare-user", "--uid", "1000", "--gid", "1000"], script)


def _run(mounts: list[str], script: str) -> dict[str, str]:
    """Run the code in the tests' interpreter; the lines `name=value` it printed."""
    bubblewrap = shutil.which("bwrap")
    if bubblewrap is None:
        raise AssertionError("these tests need bubblewrap: apt-get install bubblewrap")
    command = [bubblewrap, "--dev-bind", "/", "/", *mounts, "--", sys.executable, "-c", script]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if ended.returncode != 0:
        raise AssertionError(f"the child ended with {ended.returncode}:\n{ended.stdout}\n{ended.stderr}")
    lines = (line.partition("=") for line in ended.stdout.splitlines())
    return {name: value for name, equals, value in lines if equals}
