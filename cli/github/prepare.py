"""Prepares the Action before testwright is installed: names the caches, and installs it.

    python -I cli/github/prepare.py names      folders and cache keys, into GITHUB_OUTPUT
    python -I cli/github/prepare.py install    testwright into an environment of its own

Plain standard library: it runs in a Python that has nothing else.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ACTION = Path(__file__).resolve().parents[2]
OLDEST = (3, 11)
_LEFT_OUT = frozenset({"tests", "docs", "examples", "benchmarks", "build", "dist", "__pycache__"})
_SHIPPED = frozenset({".py", ".json", ".md", ".mjs", ".toml", ".txt", ".npmrc", ".typed"})
_SECRET = re.compile(r"token|secret|passw|api_?key|private_?key|credential", re.IGNORECASE)
_SHARED = ("request", "test_type", "target", "working_directory")


class NotHere(Exception):
    """The Action cannot work on this runner; the message says what to do."""


def names(environment: Mapping[str, str]) -> dict[str, str]:
    """Folders and cache keys, by the name of the output.

    `environment` and `state` are folders below RUNNER_TEMP. `environment-key` changes with the runner, the Python,
    testwright itself, and whether it fuzzes; `state-key` is new for each attempt of a run and is restored from the
    newest of `state-restore`, which is shared by the runs of one request.

    Raises:
        NotHere: Windows, or a Python that is too old.
    """
    system = environment.get("RUNNER_OS") or platform.system()
    if system == "Windows":
        raise NotHere("testwright runs on Linux runners (and on macOS with `sandbox: weak`), not on Windows.")
    if sys.version_info < OLDEST:
        raise NotHere(f"testwright needs Python {OLDEST[0]}.{OLDEST[1]}, this is {platform.python_version()}.")
    place = Path(environment["RUNNER_TEMP"]) / "testwright"
    machine = f"{system}-{environment.get('RUNNER_ARCH') or platform.machine()}-{platform.python_version()}"
    asked = "\0".join(environment.get(f"INPUT_{name.upper()}", "") for name in _SHARED)
    shared = f"testwright-state-{machine}-{_digest([asked.encode()])}"
    attempt = f"{environment.get('GITHUB_RUN_ID', '0')}-{environment.get('GITHUB_RUN_ATTEMPT', '1')}"
    program = ("fuzz-" if _fuzzes(environment) else "") + machine
    return {
        "environment": str(place / "environment"),
        "environment-key": f"testwright-environment-{program}-{_digest(_sources(ACTION), sys.executable.encode())}",
        "state": str(place / "state"),
        "state-key": f"{shared}-{attempt}",
        "state-restore": f"{shared}-",
    }


def install(folder: Path, *, fuzzes: bool = False) -> list[list[str]]:
    """The commands that put testwright and its pinned dependencies into a virtual environment at `folder`.

    Args:
        fuzzes: Schemathesis goes there, too.
    """
    # A step begins in the checkout: without -I, files there that are called like a module would be imported.
    python = [str(folder / "bin" / "python"), "-I"]
    pip = [*python, "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet"]
    commands = [
        [sys.executable, "-I", "-m", "venv", str(folder)],
        [*pip, "--constraint", str(ACTION / "constraints.txt"), f"{ACTION}[sandbox,github]"],
    ]
    # Schemathesis does not fit beside all that testwright is developed with: its versions are a list of their own.
    fuzzer = [*pip, "--constraint", str(ACTION / "constraints-fuzz.txt"), f"{ACTION}[fuzz]"]
    return [*commands, fuzzer] if fuzzes else commands


def _fuzzes(environment: Mapping[str, str]) -> bool:
    return environment.get("INPUT_FUZZ", "").strip().lower() == "true"


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for programs that have no need of keys."""
    return {name: value for name, value in environment.items() if not _SECRET.search(name)}


def outputs(values: Mapping[str, str]) -> str:
    """Values in the form of GITHUB_OUTPUT; what a value holds is never read as another one."""
    border = f"end-{uuid.uuid4()}"
    return "".join(f"{name}<<{border}\n{value}\n{border}\n" for name, value in values.items())


def _sources(root: Path) -> Iterator[bytes]:
    for folder, folders, files in os.walk(root):
        # Folders that are left out are not even listed: an environment in the checkout has tens of thousands of files.
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT and name[0] != ".")
        for path in (Path(folder, name) for name in sorted(files)):
            hidden = path.name[0] == "." and path.name != ".npmrc"
            if not hidden and (path.suffix or path.name) in _SHIPPED and path.is_file():
                yield path.relative_to(root).as_posix().encode()
                yield path.read_bytes()


def _digest(parts: Iterator[bytes] | Sequence[bytes], *more: bytes) -> str:
    found = hashlib.sha256()
    for part in (*parts, *more):
        found.update(len(part).to_bytes(8, "big") + part)
    return found.hexdigest()[:20]


def _main(words: Sequence[str], environment: Mapping[str, str]) -> None:
    if words == ["names"]:
        with Path(environment["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as file:
            file.write(outputs(names(environment)))
    elif words == ["install"]:
        for command in install(Path(environment["TESTWRIGHT_ENVIRONMENT"]), fuzzes=_fuzzes(environment)):
            done = subprocess.run(command, env=without_secrets(environment), check=False)
            if done.returncode:
                raise NotHere(f"{Path(command[0]).name} {command[3]} failed: testwright could not be installed.")
    else:
        raise NotHere("Say what to do: names or install.")


if __name__ == "__main__":
    try:
        _main(sys.argv[1:], os.environ)
    except NotHere as problem:
        sys.stdout.write(f"::error title=testwright::{problem}\n")
        sys.exit(3)
