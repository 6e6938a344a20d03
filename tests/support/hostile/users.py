"""Runs the command as an ordinary user: root becomes one, in a file system where that user may read what it runs."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from testwright.tests.support.projects.files import ROOT

NOBODY = 65534


def as_ordinary_user(folder: Path) -> Sequence[str]:
    """The words before a command that run it as nobody, who gets the folder. Skips the test where that cannot be.

    Homes that nobody may enter (root's, with an interpreter in it) are covered by an empty folder that shows the
    interpreter and this checkout only; no other process sees that.
    """
    tools = [shutil.which(name) for name in ("unshare", "setpriv", "mount", "chown")]
    if os.geteuid() != 0 or not all(tools):
        pytest.skip("only root can become another user, with unshare and setpriv")
    needed = {Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve(), ROOT.resolve()}
    lines = [f"chown -R {NOBODY}:{NOBODY} {shlex.quote(str(folder))}"]
    for closed in sorted({found for path in needed if (found := _closed_folder(path))}):
        lines += _shown(closed, [path for path in sorted(needed) if path.is_relative_to(closed)], folder)
    lines.append(f'exec setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups "$@"')
    return ("unshare", "--mount", "--propagation", "private", "sh", "-ec", "\n".join(lines), "sh")


def _closed_folder(path: Path) -> Path | None:
    """The outermost folder on the way to a path that others may not enter."""
    ways = [*reversed(path.parents), path]
    return next((way for way in ways if not way.stat().st_mode & stat.S_IXOTH), None)


def _shown(closed: Path, inside: Sequence[Path], folder: Path) -> list[str]:
    """Commands that cover a folder and show some of what was in it."""
    kept = shlex.quote(f"{folder}.kept")
    lines = [f"mkdir -p {kept}", f"mount --rbind {shlex.quote(str(closed))} {kept}"]
    lines.append(f"mount -t tmpfs -o mode=755 tmpfs {shlex.quote(str(closed))}")
    for path in inside:
        there, source = shlex.quote(str(path)), shlex.quote(f"{folder}.kept/{path.relative_to(closed)}")
        lines += [f"mkdir -p {there}", f"mount --rbind {source} {there}"]
    return lines
