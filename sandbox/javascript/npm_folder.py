"""Installs packages from npm once per lock file into the user's cache folder, which every run uses.

The folder `<cache>/<place>/<hash of the lock file>` is always complete: npm installs into a temporary one that gets
that name. Scripts of ours that need the packages are in a folder below it, named after a hash of their content.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from ...core.errors import ToolMissing
from ...utils.user_folders import writable_folder
from .node import NodeRuntime, find_node

INSTALL_SECONDS = 420.0
_LOCKED = ("package.json", "package-lock.json", ".npmrc")
_NPM = ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--prefer-offline",
        "--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--loglevel=error")  # fmt: skip
_ADVICE = (
    "the first use asks npm's registry, or the one npm is configured for; "
    "later ones need no network. `testwright doctor` shows the state"
)


@dataclass(frozen=True, slots=True)
class InstalledFolder:
    """Installed packages.

    Attributes:
        folder: holds `node_modules`; read only, but while it is installed.
        script: the main script of ours, below the folder; the folder itself where there is none.
        fresh: whether this call installed it or its scripts.
    """

    folder: Path
    script: Path
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class NpmFolder:
    """Packages of one lock file, and scripts of ours that use them.

    Attributes:
        source: the folder of package.json, its lock file and the scripts.
        place: name of the folder in the user's cache.
        title: what they are, in messages: "the JavaScript checks".
        script: name of the main script; empty where the packages alone are wanted.
    """

    source: Path
    place: str
    title: str
    script: str = ""

    def find_installed(self, folders: Sequence[Path]) -> InstalledFolder | None:
        """Finds the installed packages of this version; writes nothing.

        Args:
            folders: the user's cache folders, see `utils.user_folders.cache_folders`.
        """
        for base in folders:
            folder = base / self.place / self.lock_hash()
            script = folder / self._scripts_name() / self.script if self.script else folder
            if script.is_file() or (not self.script and folder.is_dir()):
                return InstalledFolder(folder, script)
        return None

    def install(
        self, folders: Sequence[Path], npm: NodeRuntime | None = None, seconds: float = INSTALL_SECONDS
    ) -> InstalledFolder:
        """Returns the packages, installing them if missing. One process installs, the others wait for it. Blocks.

        Args:
            folders: the user's cache folders; the first that can be written gets it.
            npm: the Node to install with; found without it.
            seconds: how long npm may take, and how long another process's installation is waited for.

        Raises:
            ToolMissing: no Node, no npm or no network.
            StorageError: no folder to write to.
        """
        found = self.find_installed(folders)
        if found is not None:
            return found
        base = writable_folder(folders, self.place)
        try:
            with FileLock(base / f"{self.lock_hash()}.lock", timeout=seconds):
                found = self.find_installed([base.parent])
                if found is not None:
                    return found
                if not (base / self.lock_hash()).is_dir():
                    self._install_beside(base, npm or find_node(with_npm=True), seconds)
                return self._with_scripts(base / self.lock_hash())
        except Timeout as fault:
            raise ToolMissing(
                f"another process has been installing {self.title} into {base} for {seconds:.0f} s",
                advice=f"let it finish, or end it and delete {base}",
            ) from fault
        except OSError as fault:
            raise ToolMissing(
                f"{self.title} cannot be written to {base}: {fault.strerror or fault}",
                advice="make room there, or name another folder in XDG_CACHE_HOME",
            ) from fault

    def lock_hash(self) -> str:
        """Names the packages: a hash of the lock file and of the files beside it."""
        return self._hash([self.source / name for name in _LOCKED])

    def _scripts_name(self) -> str:
        return f"checks-{self._hash(self._scripts())}"

    def _scripts(self) -> list[Path]:
        return sorted(self.source.rglob("*.mjs"))

    def _hash(self, paths: Sequence[Path]) -> str:
        digest = hashlib.sha256()
        for path in paths:
            content = path.read_bytes()
            digest.update(f"{path.relative_to(self.source).as_posix()}\0{len(content)}\0".encode() + content)
        return digest.hexdigest()[:16]

    def _install_beside(self, base: Path, node: NodeRuntime, seconds: float) -> None:
        """Installs into a temporary folder, then renames it: an interrupted install never looks complete."""
        for left in base.glob(f"{self.lock_hash()}.new-*"):  # of a killed process: this one holds the lock
            shutil.rmtree(left, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(prefix=f"{self.lock_hash()}.new-", dir=base))
        try:
            for name in _LOCKED:
                shutil.copyfile(self.source / name, folder / name)
            self._npm([*node.npm, *_NPM], folder, node, seconds)
            folder.chmod(0o755)
            folder.rename(base / self.lock_hash())
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _npm(self, command: list[str], folder: Path, node: NodeRuntime, seconds: float) -> None:
        path = f"{node.path.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        started = subprocess.Popen(
            command, cwd=folder, env={**os.environ, "PATH": path, "NODE_ENV": "production"}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            output = started.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired as fault:
            raise ToolMissing(f"npm did not install {self.title} in {seconds:.0f} s", advice=_ADVICE) from fault
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
            raise ToolMissing(f"npm could not install {self.title}: {what}", advice=_ADVICE, details={"needs": "npm"})

    def _with_scripts(self, folder: Path) -> InstalledFolder:
        if not self.script:
            return InstalledFolder(folder, folder, fresh=True)
        place = folder / self._scripts_name()
        temporary = Path(tempfile.mkdtemp(prefix=f"{self._scripts_name()}.new-", dir=folder))
        try:
            for path in self._scripts():
                target = temporary / path.relative_to(self.source)
                target.parent.mkdir(exist_ok=True)
                shutil.copyfile(path, target)
            temporary.chmod(0o755)
            temporary.rename(place)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        return InstalledFolder(folder, place / self.script, fresh=True)
