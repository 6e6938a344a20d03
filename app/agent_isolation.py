"""Runs agents in separate processes: one process for each request, which ends before the next one starts.

No state of an agent survives its request. Request and response cross the process border as JSON lines.
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

# The garbage collector rests during the imports, which take a fifth longer with it.
_BEGIN = (
    "import gc, sys; gc.disable(); sys.path.append(sys.argv[1]); from testwright.app.agent_process import main; "
    "gc.freeze(); gc.set_threshold(20_000, 20, 20); gc.enable(); main()"
)
_STDERR_CHARACTERS = 2000
_PART = 1 << 16


@dataclass
class _Session:
    """State that the isolated agents of one run share.

    Attributes:
        one_at_a_time: held while a process runs.
        given_out: keys of stored answers that were used in this session.
    """

    settings: dict[str, Any]
    run_id: str
    audit: Callable[[AuditEntry], None]
    budget: ModelBudget
    one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)
    given_out: set[str] = field(default_factory=set)

    def apply(self, message: Mapping[str, Any]) -> None:
        """Apply a message of a running process: an attempt, usage, the key of a used answer, a reached ceiling."""
        if "audit" in message:
            self.audit(AuditEntry(**{**message["audit"], "errors": tuple(message["audit"]["errors"])}))
        if "spent" in message:
            self.budget.add(ModelUsage(**message["spent"]))
        if "given_out" in message:
            self.given_out.add(message["given_out"])
        if "reached" in message:
            self.budget.refused(message["reached"])


def isolated_agents(
    roles: Iterable[str], settings: Settings, run_id: str, *, audit: Callable[[AuditEntry], None], budget: ModelBudget
) -> dict[str, AgentProtocol]:
    """Create agents that answer each request in a new process, by role.

    Args:
        audit, budget: get the attempts and usage of the processes as they happen.
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
            process, answer, err = await self._run_process(request)
            lived = {"pid": process.pid, "exit_code": process.returncode, "began": began, "ended": time.monotonic()}
        try:
            response = AgentResponse.from_dict(answer["response"])
        except (KeyError, TypeError, ValueError):
            stderr = err.decode("utf-8", "replace").strip()[-_STDERR_CHARACTERS:]
            response = error_response(
                ErrorType.RESOURCE,
                f"the process of the {self._role} agent ended with code {process.returncode} and without an answer",
                details={"error": "AgentFailure", "process_exit_code": process.returncode, "stderr": stderr},
            )
        response.metadata["process"] = lived
        return response

    async def _run_process(self, request: AgentRequest) -> tuple[asyncio.subprocess.Process, dict[str, Any], bytes]:
        session = self._session
        payload = {
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
                _write(process.stdin, json.dumps(payload).encode()),
                self._read_messages(process.stdout),
                _read_all(process.stderr),
            )
            await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return process, answer, err

    async def _read_messages(self, stream: asyncio.StreamReader | None) -> dict[str, Any]:
        """Read messages line by line; each is applied at once, and the last one holds the response."""
        answer: dict[str, Any] = {}
        rest = b""
        while stream is not None and (part := await stream.read(_PART)):
            *lines, rest = (rest + part).split(b"\n")
            for line in lines:
                try:
                    message = json.loads(line)
                except ValueError:
                    continue  # a library that prints past our redirection
                if not isinstance(message, dict):
                    continue
                self._session.apply(message)
                if "response" in message:
                    answer = message
        return answer


async def _write(stream: asyncio.StreamWriter | None, data: bytes) -> None:
    if stream is None:
        return
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the process has ended; its exit code is reported
        stream.write(data)
        await stream.drain()
    stream.close()


async def _read_all(stream: asyncio.StreamReader | None) -> bytes:
    return await stream.read() if stream is not None else b""
