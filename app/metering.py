"""Counts the work of sandboxes, from which a report computes how long a run was idle (`run.idle`)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from ..sandbox.protocol import Completed, Program, Sandbox, SandboxKind, Session
from ..utils.work_meter import WorkMeter


class MeteredSandbox:
    """A sandbox whose every program counts as work."""

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

    def session(self, program: Program) -> AbstractAsyncContextManager[Session]:
        """See `Sandbox.session`."""
        return self._session(program)

    @asynccontextmanager
    async def _session(self, program: Program) -> AsyncIterator[Session]:
        with self._meter.working():
            async with self._sandbox.session(program) as session:
                yield session
