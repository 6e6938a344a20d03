"""Agents that work in processes of their own (A-06): one request, one process, which has ended before the next begins.

Nothing of an agent survives its request: no heap, no client, no messages. Request and answer cross as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .agents.model.usage import Budget, Spend
from .agents.protocol import AgentProtocol, AgentRequest, AgentResponse, ErrorType, error_response
from .settings import Settings
from .store.audit import Attempt

_BEGIN = "import sys; sys.path.append(sys.argv[1]); from testwright.agent_process import main; main()"
_TOLD = 2000


@dataclass
class _Session:
    """What the agents of one run share.

    Attributes:
        one_at_a_time: held while a process lives.
        given_out: keys of stored answers that were used in this session.
    """

    settings: dict[str, Any]
    run_id: str
    audit: Callable[[Attempt], None]
    budget: Budget
    seconds_used: Callable[[], float]
    one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)
    given_out: set[str] = field(default_factory=set)


def isolated_agents(
    roles: Iterable[str],
    settings: Settings,
    run_id: str,
    *,
    audit: Callable[[Attempt], None],
    budget: Budget,
    seconds_before: float,
) -> dict[str, AgentProtocol]:
    """The agents of a run, by role, each request to them answered by a new process.

    Args:
        audit, budget: are told what the processes asked models and spent.
        seconds_before: wall seconds of the run before this session.
    """
    began = time.monotonic()
    session = _Session(settings.stored(), run_id, audit, budget, lambda: seconds_before + time.monotonic() - began)
    return {role: IsolatedAgent(role, session) for role in roles}


class IsolatedAgent:
    """An agent of one role in another process; a cancelled request ends the process."""

    def __init__(self, role: str, session: _Session) -> None:
        self._role = role
        self._session = session

    async def process(self, request: AgentRequest) -> AgentResponse:
        """See `AgentProtocol.process`."""
        async with self._session.one_at_a_time:
            code, out, err = await self._in_a_process(request)
        try:
            told = json.loads(out)
            response = AgentResponse.from_dict(told["response"])
        except (ValueError, KeyError, TypeError):
            said = err.decode("utf-8", "replace").strip()[-_TOLD:]
            return error_response(
                ErrorType.RESOURCE,
                f"the process of the {self._role} agent ended with code {code} and without an answer",
                details={"error": "AgentFailure", "exit_code": code, "stderr": said},
            )
        for one in told["audit"]:
            self._session.audit(Attempt(**{**one, "errors": tuple(one["errors"])}))
        for one in told["spent"]:
            self._session.budget.add(Spend(**one))
        self._session.given_out.update(told["given_out"])
        return response

    async def _in_a_process(self, request: AgentRequest) -> tuple[int | None, bytes, bytes]:
        asked = {
            "role": self._role,
            "run_id": self._session.run_id,
            "settings": self._session.settings,
            "seconds_used": self._session.seconds_used(),
            "given_out": sorted(self._session.given_out),
            "request": request.to_dict(),
        }
        # The folder in which the package was found: it need not be the one that its files resolve to.
        home = str(Path(sys.modules[__package__ or "testwright"].__path__[0]).parent)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-c", _BEGIN, home),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            out, err = await process.communicate(json.dumps(asked).encode())
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return process.returncode, out, err
