"""Agents that work in processes of their own: one request, one process, which has ended before the next begins.

Nothing of an agent survives its request: no heap, no client, no messages. Request and answer cross as JSON.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..agents.contract.protocol import AgentProtocol, AgentRequest, AgentResponse, ErrorType, error_response
from ..config.settings import Settings
from ..core.usage import ModelBudget, ModelUsage
from ..store.files.audit import AuditEntry

_BEGIN = "import sys; sys.path.append(sys.argv[1]); from testwright.app.agent_process import main; main()"
_TOLD = 2000
_PART = 1 << 16


@dataclass
class _Session:
    """What the agents of one run share.

    Attributes:
        one_at_a_time: held while a process lives.
        given_out: keys of stored answers that were used in this session.
    """

    settings: dict[str, Any]
    run_id: str
    audit: Callable[[AuditEntry], None]
    budget: ModelBudget
    one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)
    given_out: set[str] = field(default_factory=set)

    def hear(self, told: Mapping[str, Any]) -> None:
        """Take over what a process says on the way: an attempt, what was spent, a key, the ceiling it met."""
        if "audit" in told:
            self.audit(AuditEntry(**{**told["audit"], "errors": tuple(told["audit"]["errors"])}))
        if "spent" in told:
            self.budget.add(ModelUsage(**told["spent"]))
        if "given_out" in told:
            self.given_out.add(told["given_out"])
        if "reached" in told:
            self.budget.refused(told["reached"])


def isolated_agents(
    roles: Iterable[str], settings: Settings, run_id: str, *, audit: Callable[[AuditEntry], None], budget: ModelBudget
) -> dict[str, AgentProtocol]:
    """The agents of a run, by role, each request to them answered by a new process.

    Args:
        audit, budget: are told what the processes asked models and spent, as it happens.
    """
    session = _Session(settings.stored(), run_id, audit, budget)
    return {role: IsolatedAgent(role, session) for role in roles}


class IsolatedAgent:
    """An agent of one role in another process; a cancelled request ends the process, and what it spent still counts."""

    def __init__(self, role: str, session: _Session) -> None:
        self._role = role
        self._session = session

    async def process(self, request: AgentRequest) -> AgentResponse:
        """See `AgentProtocol.process`.

        The response's metadata say, as `process`, which process answered: `pid`, `exit_code`, and `began` and `ended`,
        seconds of this machine's monotonic clock around its whole life; `ended` is read after its end was awaited.
        """
        async with self._session.one_at_a_time:
            began = time.monotonic()
            process, answer, err = await self._in_a_process(request)
            lived = {"pid": process.pid, "exit_code": process.returncode, "began": began, "ended": time.monotonic()}
        try:
            response = AgentResponse.from_dict(answer["response"])
        except (KeyError, TypeError, ValueError):
            said = err.decode("utf-8", "replace").strip()[-_TOLD:]
            response = error_response(
                ErrorType.RESOURCE,
                f"the process of the {self._role} agent ended with code {process.returncode} and without an answer",
                details={"error": "AgentFailure", "process_exit_code": process.returncode, "stderr": said},
            )
        response.metadata["process"] = lived
        return response

    async def _in_a_process(self, request: AgentRequest) -> tuple[asyncio.subprocess.Process, dict[str, Any], bytes]:
        session = self._session
        asked = {
            "role": self._role,
            "run_id": session.run_id,
            "settings": session.settings,
            "seconds_used": session.budget.seconds_used,
            "asked_at": time.monotonic(),
            "given_out": sorted(session.given_out),
            "request": request.to_dict(),
        }
        # The folder in which the package was found: it need not be the one that its files resolve to.
        home = str(Path(sys.modules[__name__.partition(".")[0]].__path__[0]).parent)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-c", _BEGIN, home),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            _, answer, err = await asyncio.gather(
                _said(process.stdin, json.dumps(asked).encode()), self._heard(process.stdout), _all_of(process.stderr)
            )
            await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return process, answer, err

    async def _heard(self, stream: asyncio.StreamReader | None) -> dict[str, Any]:
        """Listen line by line to the end; the answer is the last line, all others are heard at once."""
        answer: dict[str, Any] = {}
        rest = b""
        while stream is not None and (part := await stream.read(_PART)):
            *lines, rest = (rest + part).split(b"\n")
            for line in lines:
                try:
                    told = json.loads(line)
                except ValueError:
                    continue  # a library that prints past our redirection
                if not isinstance(told, dict):
                    continue
                self._session.hear(told)
                if "response" in told:
                    answer = told
        return answer


async def _said(stream: asyncio.StreamWriter | None, data: bytes) -> None:
    if stream is None:
        return
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it has ended: its exit code says more
        stream.write(data)
        await stream.drain()
    stream.close()


async def _all_of(stream: asyncio.StreamReader | None) -> bytes:
    return await stream.read() if stream is not None else b""
