"""The process of one isolated agent: reads what it is asked from stdin, answers on stdout, ends."""

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
    """Answer one request and end. Each line on stdout is a JSON object, the last one has the response."""
    asked = json.load(sys.stdin)
    out = sys.stdout

    def tell(**told: Any) -> None:
        out.write(json.dumps(told) + "\n")
        out.flush()

    with redirect_stdout(sys.stderr):
        response = asyncio.run(answered(asked, tell))
    tell(response=response.to_dict())


async def answered(asked: dict[str, Any], tell: Callable[..., None]) -> AgentResponse:
    """What the agent answers.

    Args:
        tell: is told on the way, as it happens: `audit` (an attempt), `spent` (of one call), `given_out` (the key of a
            stored answer), `reached` (a ceiling).
    """
    late = max(0.0, time.monotonic() - asked["asked_at"])  # one clock for all processes of a machine
    try:
        opened = open_agent(
            restore_settings(asked["settings"]),
            asked["run_id"],
            asked["role"],
            audit=lambda attempt: tell(audit=asdict(attempt)),
            seconds_before=asked["seconds_used"] + late,
            given_out=_TellingKeys(asked["given_out"], tell),
            spent=lambda spend: tell(spent=asdict(spend)),
        )
        async with opened as (agent, budget):
            response = await agent.process(AgentRequest.from_dict(asked["request"]))
            if budget.reached is not None:
                tell(reached=budget.reached)
    except TestwrightError as error:
        response = AgentResponse(ResponseStatus.ERROR, error=error_from(error, asked["role"]))
    return response


class _TellingKeys(set[str]):
    """Keys of stored answers that were used; each new one is told at once."""

    def __init__(self, keys: Iterable[str], tell: Callable[..., None]) -> None:
        super().__init__(keys)
        self._tell = tell

    def add(self, key: str) -> None:
        """See `set.add`."""
        if key not in self:
            self._tell(given_out=key)
        super().add(key)
