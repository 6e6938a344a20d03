"""Prepares a Python project for running: finds its interpreter, copies it, and makes workspaces from the copy."""

from __future__ import annotations

import asyncio
import fcntl
import itertools
import json
import os
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, ParamSpec, TypeVar

from ..core.errors import StorageError
from ..utils.untrusted_folders import remove_tree
from .interpreter import Interpreter, find_interpreter
from .overlay import BENCHMARK_TOOLS, LOAD_TOOLS, test_overlay, tools_overlay
from .protocol import Limits, Network, Program, Sandbox
from .snapshot import Snapshot, copy_tree, take_snapshot
from .worker_files import START, WORKER_FOLDER

_LEASE = "lease"
_HELD = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a clone may bring a folder of this name along
_LONGEST_TMPDIR = 70  # programs put sockets below it, whose whole path has at most 107 bytes
IMPORT_SECONDS = 20.0
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Workspace:
    """A fresh writable copy of the project, for one purpose.

    Attributes:
        project: the copy's root.
        scratch: a folder beside it for whatever a program writes; `scratch/home` is its HOME, `scratch/tmp` its
            TMPDIR (under bubblewrap /tmp, its own, where that path is too long for sockets).
        ready: when it was ready, in seconds since the epoch: what changes later was written by a program.
        folder: holds both; no program can write it, so that it is where `utils/untrusted_files.py` starts from.
        requests: a folder in it for what programs are given to read: they cannot change what is there.
    """

    project: Path
    scratch: Path
    target: PythonTarget
    ready: float = 0.0

    @property
    def folder(self) -> Path:
        """The folder around the project and scratch."""
        return self.scratch.parent

    @property
    def requests(self) -> Path:
        """The folder that programs read only."""
        return self.folder / "requests"

    def program(
        self,
        args: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        network: Network = "none",
        limits: Limits | None = None,
        stdin: bytes = b"",
        cwd: Path | None = None,
        readable: Sequence[Path] = (),
        with_roots: bool = True,
        overlay: Sequence[Path] = (),
        opens_site: bool = False,
    ) -> Program:
        """The target's interpreter run with `args`: a script and its arguments, `-m MODULE …` or `-c CODE …`.

        Import roots come first on its path and the overlay last; nothing of our environment is passed on.

        Args:
            environment: added to, or instead of, what a program gets by default.
            cwd: the project's copy when None.
            readable: more folders or files to show read-only.
            with_roots: put the import roots on the path; False leaves the project to find itself.
            overlay: more folders that come last on the path, with test tools that only some programs need.
            opens_site: see `Program`.
        """
        target = self.target
        roots = [os.path.normpath(self.project / root) for root in target.import_roots] if with_roots else []
        last = [
            str(folder)
            for folder in (target.interpreter.user_site, *self._linked(), *target.overlay, *overlay)
            if folder is not None
        ]
        # The interpreter itself must not begin with modules of the project: it would take a `json.py` for its own.
        children = ":".join(root for root in roots if ":" not in root)
        config = {"first": roots, "last": last, "children": children}
        variables = self._environment() | dict(environment or {})
        return Program(
            argv=(str(target.interpreter.path), str(START), json.dumps(config), *args),
            cwd=cwd or self.project,
            environment=variables,
            readable=(
                *target.interpreter.prefix_paths,
                *target.overlay,
                *overlay,
                WORKER_FOLDER,
                self.requests,
                *readable,
            ),
            writable=(self.project, self.scratch),
            network=network,
            limits=limits or Limits(),
            stdin=stdin,
            written_since=self.ready,
            opens_site=opens_site,
        )

    def _temporary_folder(self) -> str:
        """`scratch/tmp`; where that is too long for sockets and /tmp is the program's own, /tmp."""
        folder = str(self.scratch / "tmp")
        too_long = len(os.fsencode(folder)) > _LONGEST_TMPDIR
        return "/tmp" if too_long and self.target.sandbox.kind == "bubblewrap" else folder  # a tmpfs of its own

    def _linked(self) -> list[Path]:
        """This copy's counterparts of the project's own folders that its environment links to."""
        root = self.target.root.resolve()
        inside = [
            folder.resolve() for folder in self.target.interpreter.linked if folder.resolve().is_relative_to(root)
        ]
        copies = [self.project / folder.relative_to(root) for folder in inside if folder != root]
        return [copy for copy in copies if copy.is_dir()]

    def _environment(self) -> dict[str, str]:
        folders = f"{self.target.interpreter.path.parent}:/usr/local/bin:/usr/bin:/bin"
        library_path = self.target.interpreter.library_path
        return {
            **self.target.variables,
            **({"LD_LIBRARY_PATH": library_path} if library_path else {}),
            "HOME": str(self.scratch / "home"),
            "TMPDIR": self._temporary_folder(),
            "PATH": folders,
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONNOUSERSITE": "1",
            "PYTHONUTF8": "1",
        }


@dataclass(frozen=True, slots=True)
class PythonTarget:
    """Everything needed to run code of one project. Made by `prepare_target`.

    Attributes:
        root: the project itself, which no program sees.
        import_roots: POSIX folders, relative to the root, that come first on the import path.
        overlay: folders that come last on it, with the test tools the target lacks.
        import_seconds: how long importing a module of the project may take.
        variables: environment variables of the project's code; never instead of those that every program gets.
        taken: those of them whose values come from the user's environment and stand in no file; what may stand there
            instead, as a `string.Template`: `postgres://${DB_HOST}/shop`.
        caches: the user's cache folders, for tools that only some programs need.
        scratch: where workspaces are made; removed by `discard`, or by a later run when this process died.
    """

    sandbox: Sandbox
    interpreter: Interpreter
    snapshot: Snapshot
    import_roots: tuple[str, ...]
    overlay: tuple[Path, ...]
    scratch: Path
    root: Path
    _lease: IO[bytes] = field(repr=False, compare=False)
    import_seconds: float = IMPORT_SECONDS
    variables: Mapping[str, str] = field(default_factory=dict)
    caches: tuple[Path, ...] = ()
    taken: Mapping[str, str] = field(default_factory=dict)
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1), repr=False, compare=False)

    @asynccontextmanager
    async def workspace(self) -> AsyncGenerator[Workspace]:
        """A fresh copy of the project, deleted on leaving. Raises StorageError when there is no room for it."""
        folder = self.scratch / f"w{next(self._numbers)}"
        try:
            await to_the_end(_make_workspace, self.snapshot.path, folder)
            yield Workspace(folder / "project", folder / "scratch", self, time.time())
        finally:
            await to_the_end(remove_tree, folder, ignore_errors=True)

    def lends(self, package: str) -> bool:
        """Whether a test tool is none of the project's environment and comes from the overlay."""
        return any((folder / package).is_dir() for folder in self.overlay)

    async def with_benchmark_tools(self) -> PythonTarget:
        """The same target, with pytest-benchmark on its path; itself where its environment has that.

        Raises:
            InterpreterError: it is neither there nor can be provided; with advice.
            StorageError: the cache cannot be written.
        """
        return await self._with_tools(BENCHMARK_TOOLS)

    async def with_load_tools(self) -> PythonTarget:
        """The same target, with Locust at the end of its path. Raises as `with_benchmark_tools`."""
        return await self._with_tools(LOAD_TOOLS)

    async def _with_tools(self, tools: Sequence[str]) -> PythonTarget:
        more = await asyncio.to_thread(tools_overlay, tools, self.interpreter, self.caches)
        missing = tuple(folder for folder in more if folder not in self.overlay)
        return replace(self, overlay=(*self.overlay, *missing)) if missing else self

    async def discard(self) -> None:
        """Delete the copy and all workspaces; the target is of no use afterwards."""
        await to_the_end(remove_tree, self.scratch, ignore_errors=True)
        self._lease.close()


ProvideTarget = Callable[[], Awaitable[PythonTarget]]
"""Prepares the project for running on first use; returns the same target from then on."""


async def prepare_target(
    root: Path,
    *,
    sandbox: Sandbox,
    python: Path | None,
    state: Path,
    caches: Sequence[Path],
    import_roots: Sequence[str],
    exclude: Sequence[Path] = (),
    trusted: bool = False,
    import_seconds: float = IMPORT_SECONDS,
    variables: Mapping[str, str] | None = None,
    taken: Mapping[str, str] | None = None,
) -> PythonTarget:
    """Find the interpreter, copy the project, and see to the test tools. The project itself is only read.

    Args:
        state: folder for the copy and its workspaces (`<state>/sandbox/…`); left out of the copy.
        caches: the user's cache folders, for the overlay; see `utils.user_folders.cache_folders`.
        import_roots: POSIX folders relative to the root; "." for a flat layout.
        exclude: more folders inside the project that are not part of it.
        trusted: whether the project is trusted, see `find_interpreter`.
        import_seconds, variables, taken: as in `PythonTarget`.

    Raises:
        ProjectError, StorageError, InterpreterError: see `take_snapshot`, `find_interpreter` and `test_overlay`.
    """
    interpreter = await asyncio.to_thread(find_interpreter, root, python, trusted=trusted)
    overlay = await asyncio.to_thread(test_overlay, interpreter, caches)
    scratch, lease = await asyncio.to_thread(_make_scratch, state)
    try:
        snapshot = await to_the_end(_snapshot, root, scratch / "snapshot", (state, *exclude))
    except BaseException:
        await to_the_end(remove_tree, scratch, ignore_errors=True)
        lease.close()
        raise
    roots = tuple(import_roots)
    return PythonTarget(
        sandbox,
        interpreter,
        snapshot,
        roots,
        overlay,
        scratch,
        root,
        lease,
        import_seconds,
        dict(variables or {}),
        tuple(caches),
        dict(taken or {}),
    )


def _snapshot(root: Path, into: Path, exclude: tuple[Path, ...]) -> Snapshot:
    return take_snapshot(root, into, exclude=exclude)


async def to_the_end(function: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """Run blocking work in a thread and, even when cancelled meanwhile, wait for it: its files must not outlive us."""
    working = asyncio.ensure_future(asyncio.to_thread(function, *arguments, **options))
    interruption: asyncio.CancelledError | None = None
    while not working.done():
        try:
            await asyncio.wait((working,))
        except asyncio.CancelledError as cancelled:
            interruption = cancelled
    if interruption is not None:
        raise interruption
    return working.result()


def _make_workspace(snapshot: Path, folder: Path) -> None:
    for name in ("requests", "scratch/home", "scratch/tmp"):
        (folder / name).mkdir(parents=True)
    copy_tree(snapshot, folder / "project")


def _make_scratch(state: Path) -> tuple[Path, IO[bytes]]:
    """A folder of our own, held by a lock that ends with this process; folders whose process ended are removed."""
    place = state.absolute() / "sandbox"
    try:
        place.mkdir(parents=True, exist_ok=True)
        remove_abandoned(state)
        scratch = Path(tempfile.mkdtemp(prefix="t", dir=place)).resolve()
        making = scratch / "making"
        lease = making.open("wb")
        fcntl.flock(lease, fcntl.LOCK_EX | fcntl.LOCK_NB)
        making.rename(scratch / _LEASE)  # named only when held: nobody finds it free
    except OSError as fault:
        raise StorageError(
            f"{place} cannot be written: {fault.strerror}", advice="Choose another place with --state-dir."
        ) from fault
    return scratch, lease


def remove_abandoned(state: Path) -> None:
    """Delete copies of projects whose process ended without doing so; none where the folder has never held any."""
    place = state.absolute() / "sandbox"
    for folder in place.iterdir() if place.is_dir() else ():
        try:
            with os.fdopen(os.open(folder / _LEASE, _HELD), "rb") as lease:
                fcntl.flock(lease, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove_tree(folder)
        except OSError:
            continue  # in use, or just being made
