"""Entry point of an isolated agent's process: reads one request from stdin, answers on stdout, exits.

It opens what the agent needs and nothing else: the graphs would take longer to import than a short answer takes.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, redirect_stdout
from dataclasses import asdict
from typing import Any

from ..agents.contract.failures import error_from
from ..agents.contract.lifecycle import Agent
from ..agents.contract.protocol import AgentRequest, AgentResponse, ResponseStatus
from ..agents.embedded.repository.crawler_agent import RepositoryTools, ToolCallRecord
from ..config.settings import Settings, restore_settings
from ..core.errors import TestwrightError, ToolFailure, UsageError
from ..core.usage import ModelBudget, ModelUsage
from ..store.files.audit import AuditEntry
from ..store.files.run_folder import RunFolder
from ..utils.work_meter import WorkMeter
from .agent_factory import create_agents
from .model_clients import RunAnswers, open_model_clients
from .opened_store import open_store
from .target.provider import TargetProvider

_READING_TOOLS = ("crawler", "spec", "evidence_search")
"""Roles that call tools, which may be those of other servers; the others need no client."""


def main() -> None:
    """Answer one request. Each line on stdout is a JSON object; the last one holds the response."""
    payload = json.load(sys.stdin)
    out = sys.stdout

    def send(**message: Any) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    with redirect_stdout(sys.stderr):
        response = asyncio.run(process_request(payload, send))
    send(response=response.to_dict())


async def process_request(payload: dict[str, Any], send: Callable[..., None]) -> AgentResponse:
    """Process the request in the role's agent.

    Args:
        send: writes a message to the parent as it happens: `audit` (an attempt), `spent` (usage of one call),
            `given_out` (the key of a stored answer), `reached` (a ceiling).
    """
    late = max(0.0, time.monotonic() - payload["asked_at"])  # one clock for all processes of a machine
    try:
        opened = open_agent(
            restore_settings(payload["settings"]),
            payload["run_id"],
            payload["role"],
            audit=lambda attempt: send(audit=asdict(attempt)),
            seconds_before=payload["seconds_used"] + late,
            given_out=_ReportedKeys(payload["given_out"], send),
            spent=lambda spend: send(spent=asdict(spend)),
        )
        async with opened as (agent, budget):
            response = await agent.process(AgentRequest.from_dict(payload["request"]))
            if budget.reached is not None:
                send(reached=budget.reached)
    except TestwrightError as error:
        response = AgentResponse(ResponseStatus.ERROR, error=error_from(error, payload["role"]))
    return response


@asynccontextmanager
async def open_agent(
    settings: Settings,
    run_id: str,
    role: str,
    *,
    audit: Callable[[AuditEntry], None],
    seconds_before: float,
    given_out: set[str],
    spent: Callable[[ModelUsage], None],
) -> AsyncIterator[tuple[Agent, ModelBudget]]:
    """Open one agent of a run that another process executes, with the budget that its model calls count against.

    Args:
        seconds_before: wall seconds of the run so far.
        given_out: keys of stored answers that were used already in this session; grows.
        spent: called with the usage of each model call.

    Raises:
        UsageError: there is no such role.
    """
    folder = RunFolder(settings.state, run_id)
    target = TargetProvider(settings, folder, WorkMeter(), scratch=folder.scratch / f"agent-{os.getpid()}")
    with open_store(settings) as store:
        async with (
            _open_tools(role, settings, folder, target) as tools,
            open_model_clients(
                settings,
                os.environ,
                cache=settings.cache_dir,
                kept=RunAnswers(store.answers, run_id),
                seconds_before=seconds_before,
                audit=audit,
                given_out=given_out,
                spent=spent,
            ) as models,
        ):
            known = create_agents(settings, target, models.by_role, tools, metering=models.metering)
            if role not in known:
                raise UsageError(f"There is no agent {role!r}.")
            try:
                async with known[role] as agent:
                    yield agent, models.budget
            finally:
                await target.discard()


@asynccontextmanager
async def _open_tools(
    role: str, settings: Settings, folder: RunFolder, target: TargetProvider
) -> AsyncIterator[RepositoryTools]:
    if role not in _READING_TOOLS:
        yield _NoTools()
        return
    from .tool_factory import open_tools  # half of what this process would import is the SDK below it

    async with open_tools(settings, folder, target, os.environ) as tools:
        yield tools


class _NoTools:
    """The tools of a role that calls none."""

    async def call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Raises ToolFailure."""
        raise ToolFailure(f"the tool {name!r} was called by a role that has no tools")

    def calls(self) -> Sequence[ToolCallRecord]:
        """None were made."""
        return ()


class _ReportedKeys(set[str]):
    """Keys of stored answers that were used; each new one is sent to the parent at once."""

    def __init__(self, keys: Iterable[str], send: Callable[..., None]) -> None:
        super().__init__(keys)
        self._send = send

    def add(self, key: str) -> None:
        """See `set.add`."""
        if key not in self:
            self._send(given_out=key)
        super().add(key)
