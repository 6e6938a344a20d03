"""Installs the tool chain once per lock file into a cache folder that every run uses.

The folder `<cache>/<hash of the lock file>` is always complete: npm installs into a temporary folder, which is then
renamed. Our own scripts are in a folder below it, named after a hash of their content.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from ...core.errors import EnvironmentFault
from .node import NodeRuntime, find_node

SOURCE = Path(__file__).with_name("chain")
COMPILED = "compiled"
INSTALL_SECONDS = 420.0
_LOCKED = ("package.json", "package-lock.json", ".npmrc")
_NPM = ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--prefer-offline",
        "--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--loglevel=error")  # fmt: skip
_ADVICE = (
    "the first use asks npm's registry, or the one npm is configured for; "
    "later ones need no network. `testwright doctor` shows the state"
)


@dataclass(frozen=True, slots=True)
class ToolChain:
    """The installed tool chain.

    Attributes:
        folder: holds `node_modules`; read only, but while it is installed.
        script: the program that checks, below the folder.
        fresh: whether this call installed it or its scripts.
    """

    folder: Path
    script: Path
    fresh: bool = False


def cache_folders(fallback: Path, environment: Mapping[str, str] | None = None) -> tuple[Path, ...]:
    """Candidate folders for the chain: the user's cache folder, then that of the project's state.

    Args:
        fallback: the state's cache folder, for users without a home.
    """
    variables = os.environ if environment is None else environment
    given = variables.get("XDG_CACHE_HOME", "")
    home = variables.get("HOME", "")
    own = Path(given) if given.startswith("/") else Path(home) / ".cache" if home.startswith("/") else None
    return tuple(item / "testwright" / "javascript" for item in (own, fallback) if item is not None)


def find_installed(folders: Sequence[Path]) -> ToolChain | None:
    """Finds the installed chain of this version; writes nothing."""
    for base in folders:
        folder = base / lock_hash()
        script = folder / _scripts_name() / "check.mjs"
        if script.is_file():
            return ToolChain(folder, script)
    return None


def install(folders: Sequence[Path], npm: NodeRuntime | None = None, seconds: float = INSTALL_SECONDS) -> ToolChain:
    """Returns the chain, installing it if it is missing. One process installs, the others wait for it. Blocks.

    Args:
        npm: the Node to install with; found without it.
        seconds: how long npm may take, and how long another process's installation is waited for.

    Raises:
        EnvironmentFault: no Node, no npm, no network, or no folder to write to.
    """
    found = find_installed(folders)
    if found is not None:
        return found
    base = _writable_folder(folders)
    try:
        with FileLock(base / f"{lock_hash()}.lock", timeout=seconds):
            found = find_installed([base])
            if found is not None:
                return found
            if not (base / lock_hash()).is_dir():
                _install_beside(base, npm or find_node(with_npm=True), seconds)
            return _with_scripts(base / lock_hash())
    except Timeout as fault:
        raise EnvironmentFault(
            f"another process has been installing the JavaScript checks into {base} for {seconds:.0f} s",
            advice=f"let it finish, or end it and delete {base}",
        ) from fault
    except OSError as fault:
        raise EnvironmentFault(
            f"the JavaScript checks cannot be written to {base}: {fault.strerror or fault}",
            advice="make room there, or name another folder in XDG_CACHE_HOME",
        ) from fault


def lock_hash() -> str:
    """Names the chain: a hash of the lock file and of the files beside it."""
    return _hash([SOURCE / name for name in _LOCKED])


def _scripts_name() -> str:
    return f"checks-{_hash(_scripts())}"


def _scripts() -> list[Path]:
    return sorted(SOURCE.rglob("*.mjs"))


def _hash(paths: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(SOURCE).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def _writable_folder(folders: Sequence[Path]) -> Path:
    complaint = "no folder was given"
    for base in folders:
        try:
            base.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=base):
                return base
        except OSError as fault:
            complaint = f"{base}: {fault.strerror or fault}"
    raise EnvironmentFault(
        f"there is no folder for the JavaScript checks ({complaint})", advice="name a writable one in XDG_CACHE_HOME"
    )


def _install_beside(base: Path, node: NodeRuntime, seconds: float) -> None:
    """Installs into a temporary folder, then renames it: an interrupted install never looks complete."""
    for left in base.glob(f"{lock_hash()}.new-*"):  # of a killed process: this one holds the lock
        shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{lock_hash()}.new-", dir=base))
    try:
        for name in _LOCKED:
            shutil.copyfile(SOURCE / name, folder / name)
        _npm([*node.npm, *_NPM], folder, node, seconds)
        folder.chmod(0o755)
        folder.rename(base / lock_hash())
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _npm(command: list[str], folder: Path, node: NodeRuntime, seconds: float) -> None:
    path = f"{node.path.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    started = subprocess.Popen(
        command, cwd=folder, env={**os.environ, "PATH": path, "NODE_ENV": "production"}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    try:
        output = started.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired as fault:
        raise EnvironmentFault(
            f"npm did not install the JavaScript checks in {seconds:.0f} s", advice=_ADVICE
        ) from fault
    finally:
        _kill_process_group(started)
    if started.returncode:
        lines = [line for line in output.decode("utf-8", "replace").splitlines() if line.strip()]
        what = " / ".join(lines[:4])[:600] or f"exit code {started.returncode}"
        raise EnvironmentFault(
            f"npm could not install the JavaScript checks: {what}", advice=_ADVICE, details={"needs": "npm"}
        )


def _kill_process_group(started: subprocess.Popen[bytes]) -> None:
    """Kills what is left of npm, children included."""
    if started.poll() is None:
        os.killpg(started.pid, signal.SIGKILL)
    started.wait()
    if started.stdout is not None:
        started.stdout.close()


def _with_scripts(folder: Path) -> ToolChain:
    place = folder / _scripts_name()
    temporary = Path(tempfile.mkdtemp(prefix=f"{_scripts_name()}.new-", dir=folder))
    try:
        for path in _scripts():
            target = temporary / path.relative_to(SOURCE)
            target.parent.mkdir(exist_ok=True)
            shutil.copyfile(path, target)
        temporary.chmod(0o755)
        temporary.rename(place)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return ToolChain(folder, place / "check.mjs", fresh=True)
