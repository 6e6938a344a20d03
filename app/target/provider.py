"""Prepares the copy of the project that a run works on, and the interpreter of its code, when they are first needed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from ...config.settings import Settings
from ...core.events import EventType
from ...engine.python.project.layout import find_layout
from ...sandbox.browsers.relayed import RelayedSandbox
from ...sandbox.interpreter import Interpreter
from ...sandbox.opening import open_sandbox
from ...sandbox.protocol import Completed, Program, Sandbox, SandboxKind, Session
from ...sandbox.target import PythonTarget, prepare_target
from ...store.files.event_log import EventLog
from ...store.files.run_folder import RunFolder
from ...utils.user_folders import cache_folders
from ...utils.work_meter import WorkMeter


class TargetProvider:
    """Prepares the copy of the project and its interpreter on first use.

    Concurrent callers share one preparation; one that failed is tried again by the next caller.
    """

    def __init__(
        self,
        settings: Settings,
        folder: RunFolder,
        meter: WorkMeter,
        *,
        scratch: Path | None = None,
        events: EventLog | None = None,
    ) -> None:
        self._settings = settings
        self._events = events
        self._scratch = scratch or folder.scratch
        self._meter = meter
        self._lock = asyncio.Lock()
        self._prepared: PythonTarget | None = None

    async def __call__(self) -> PythonTarget:
        """The target's environment.

        Raises:
            SandboxUnavailable, InterpreterError, EnvironmentFault, ProjectError: what is missing, with advice.
        """
        async with self._lock:
            if self._prepared is None:
                with self._meter.working():
                    self._prepared = await self._prepare()
                self._record(self._prepared)
            return self._prepared

    @property
    def interpreter(self) -> Interpreter | None:
        """The interpreter that runs the target's code; None until the target was prepared."""
        return self._prepared.interpreter if self._prepared is not None else None

    @asynccontextmanager
    async def ahead(self) -> AsyncIterator[None]:
        """Prepare the target in the background while the block runs."""
        preparing = asyncio.ensure_future(self())
        try:
            yield
        finally:
            preparing.cancel()
            await asyncio.wait((preparing,))
            if not preparing.cancelled():
                # Retrieved so that asyncio does not warn; the next caller tries again and gets the error.
                preparing.exception()

    def _record(self, target: PythonTarget) -> None:
        """Record sandbox and interpreter in the event log, for reports of sessions that run no code themselves."""
        if self._events is not None:
            facts = {"sandbox": target.sandbox.kind, "interpreter": _interpreter_in_words(target.interpreter)}
            self._events.emit(EventType.PROGRESS, f"{facts['sandbox']}, {facts['interpreter']}", **facts)
            for note in target.interpreter.notes:
                self._events.emit(EventType.PROGRESS, note, warning=note)

    async def discard(self) -> None:
        """Delete the copy of the project, if one was made."""
        if self._prepared is not None:
            await self._prepared.discard()

    async def _prepare(self) -> PythonTarget:
        settings = self._settings
        sandbox: Sandbox = await asyncio.to_thread(open_sandbox, settings.sandbox)
        if settings.app_url:
            sandbox = RelayedSandbox(sandbox, settings.app_url)
        layout = await asyncio.to_thread(find_layout, settings.root)
        return await prepare_target(
            settings.root,
            sandbox=_MeteredSandbox(sandbox, self._meter),
            python=settings.python,
            state=self._scratch,
            caches=cache_folders(settings.root),
            import_roots=layout.import_roots,
            exclude=[settings.state],
            trusted=bool(settings.trust_project),
            import_seconds=settings.import_seconds,
            variables=settings.variables,
            taken=settings.taken,
        )


class _MeteredSandbox:
    """A sandbox whose every program counts as work; a report computes from it how long a run was idle (`run.idle`)."""

    def __init__(self, sandbox: Sandbox, meter: WorkMeter) -> None:
        self._sandbox = sandbox
        self._meter = meter

    @property
    def kind(self) -> SandboxKind:
        """See `Sandbox.kind`."""
        return self._sandbox.kind

    async def run(self, program: Program) -> Completed:
        """See `Sandbox.run`."""
        with self._meter.working():
            return await self._sandbox.run(program)

    @asynccontextmanager
    async def session(self, program: Program) -> AsyncIterator[Session]:
        """See `Sandbox.session`."""
        with self._meter.working():
            async with self._sandbox.session(program) as session:
                yield session


def _interpreter_in_words(interpreter: Interpreter) -> str:
    """Format path and version of the target's interpreter for the report."""
    return f"{interpreter.path} {'.'.join(str(part) for part in interpreter.version[:3])}"
