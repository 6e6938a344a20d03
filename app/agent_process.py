"""Entry point of an isolated agent's process: reads one request from stdin, answers on stdout, exits."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from dataclasses import asdict
from typing import Any

from ..agents.contract.failures import error_from
from ..agents.contract.protocol import AgentRequest, AgentResponse, ResponseStatus
from ..config.settings import restore_settings
from ..core.errors import TestwrightError
from .container import open_agent


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
