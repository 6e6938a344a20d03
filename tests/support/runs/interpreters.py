"""Finds the Python interpreters of this machine, so that tests can run on each of them."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

OWN_VERSIONS = ("3.11", "3.12", "3.13")
"""Versions that testwright itself runs on."""

TARGET_VERSIONS = ("3.9", "3.10", "3.11", "3.12", "3.13")
"""Versions that the code under test may run on."""


@functools.cache
def find_interpreter(version: str) -> Path | None:
    """The executable of CPython `version` ("3.12") on this machine, or None.

    Looks at the running interpreter, at the versions that pyenv has installed, and at `python3.12` on the path. A name
    on the path may be a shim that is slow or refuses to run, so it comes last, and a candidate counts only if it starts
    and reports the version.
    """
    return next((path for path in _candidates(version) if _reported_version(path) == version), None)


def missing(versions: tuple[str, ...]) -> list[str]:
    """The versions that this machine does not have."""
    return [version for version in versions if find_interpreter(version) is None]


def _candidates(version: str) -> Iterator[Path]:
    if version == f"{sys.version_info[0]}.{sys.version_info[1]}":
        yield Path(sys.executable)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from sorted(pyenv.glob(f"versions/{version}.*/bin/python{version}"))
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if found := shutil.which(f"python{version}", path=folder or "."):
            yield Path(found)


def _reported_version(path: Path) -> str | None:
    question = "import sys; print('%d.%d' % sys.version_info[:2], end='')"
    try:
        answer = subprocess.run([path, "-I", "-c", question], capture_output=True, text=True, timeout=30, check=False)
    except OSError:
        return None
    return answer.stdout if answer.returncode == 0 else None
