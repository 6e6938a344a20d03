"""The process of one isolated agent (A-06): reads what it is asked from stdin, answers on stdout, ends."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import redirect_stdout
from dataclasses import asdict
from typing import Any

from .agents.failures import error_from
from .agents.model.usage import Spend
from .agents.protocol import AgentRequest, AgentResponse, ResponseStatus
from .errors import TestwrightError
from .settings import restore_settings
from .store.audit import Attempt
from .wiring import open_agent


def main() -> None:
    """Answer one request and end."""
    asked = json.load(sys.stdin)
    with redirect_stdout(sys.stderr):
        told = asyncio.run(answered(asked))
    sys.stdout.write(json.dumps(told))
    sys.stdout.flush()


async def answered(asked: dict[str, Any]) -> dict[str, Any]:
    """What the agent says: `response`, `audit` (attempts), `spent` (by role and model), `given_out` (keys)."""
    audit: list[Attempt] = []
    given_out = {str(one) for one in asked["given_out"]}
    spent: list[Spend] = []
    try:
        opened = open_agent(
            restore_settings(asked["settings"]),
            asked["run_id"],
            asked["role"],
            audit=audit.append,
            seconds_before=asked["seconds_used"],
            given_out=given_out,
        )
        async with opened as (agent, budget):
            before = {(one.role, one.model): one for one in budget.by_role()}
            response = await agent.process(AgentRequest.from_dict(asked["request"]))
            spent = [_more(one, before.get((one.role, one.model))) for one in budget.by_role()]
    except TestwrightError as error:
        response = AgentResponse(ResponseStatus.ERROR, error=error_from(error, asked["role"]))
    return {
        "response": response.to_dict(),
        "audit": [asdict(one) for one in audit],
        "spent": [asdict(one) for one in spent if one.calls],
        "given_out": sorted(given_out),
    }


def _more(now: Spend, before: Spend | None) -> Spend:
    """What was spent since `before`."""
    if before is None:
        return now
    return Spend(
        now.role,
        now.model,
        now.calls - before.calls,
        now.tokens_in - before.tokens_in,
        now.tokens_out - before.tokens_out,
        now.tokens_cached - before.tokens_cached,
        round(now.cost - before.cost, 9),
    )
