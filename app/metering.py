"""Agents and sandboxes whose work is counted, so that a report can say how long a run did nothing (`run.idle`)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from ..agents.contract.protocol import AgentProtocol, AgentRequest, AgentResponse
from ..sandbox.protocol import Completed, Program, Sandbox, SandboxKind, Session
from ..utils.work_meter import WorkMeter


class MeteredAgent:
    """An agent whose every request counts as work, without the time in which it waits for a model of this process."""

    def __init__(self, agent: AgentProtocol, meter: WorkMeter) -> None:
        self._agent = agent
        self._meter = meter

    async def process(self, request: AgentRequest) -> AgentResponse:
        """See `AgentProtocol.process`."""
        with self._meter.working():
            return await self._agent.process(request)


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
