"""Other versions of Python on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path


def interpreter(version: str) -> Path | None:
    """The executable of CPython `version` ("3.12"), on the path or installed by pyenv; None where there is none.

    A name on the path may be a shim that refuses to run, so a candidate counts only if it starts and says the version.
    """
    return next((path for path in _candidates(version) if full_version(path).startswith(f"{version}.")), None)


def full_version(python: Path) -> str:
    """What an interpreter says its version is, as "3.12.1"; empty where it does not start."""
    question = "import sys; print('%d.%d.%d' % sys.version_info[:3], end='')"
    try:
        answer = subprocess.run([python, "-I", "-c", question], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout if answer.returncode == 0 else ""


def _candidates(version: str) -> Iterator[Path]:
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if found := shutil.which(f"python{version}", path=folder or "."):
            yield Path(found)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from sorted(pyenv.glob(f"versions/{version}.*/bin/python{version}"))
