"""Every kind of agent keeps the one contract (C-05)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from testwright.agents.contracts import contract_of
from testwright.agents.embedded.planner_agent import EmbeddedPlannerAgent
from testwright.agents.lifecycle import Agent
from testwright.agents.protocol import AgentRequest, JsonObject
from testwright.tests.support.agent_compliance import COMPLIANCE, Candidate, Check


class _Adder(Agent):
    def __init__(self) -> None:
        super().__init__("adder")

    async def _work(self, request: AgentRequest) -> JsonObject:
        inputs: dict[str, Any] = request.inputs or {}
        return {"sum": inputs["one"] + inputs["other"]}


def _name(check: Check) -> str:
    return getattr(check, "__name__", "check")


@pytest.mark.feature("C-05")
@pytest.mark.parametrize("check", COMPLIANCE, ids=_name)
async def test_an_agent_on_the_common_base_keeps_the_contract(check: Check) -> None:
    await check(Candidate(_Adder, good={"one": 1, "other": 2}))


@pytest.mark.feature("C-05")
@pytest.mark.parametrize("check", COMPLIANCE, ids=_name)
async def test_the_embedded_planner_keeps_the_contract(check: Check, tmp_path: Path) -> None:
    (tmp_path / "cart.py").write_text("def add(one: int, other: int) -> int:\n    return one + other\n")
    good = {"user_request": "unit tests for cart.py", "root": str(tmp_path)}
    await check(Candidate(lambda: EmbeddedPlannerAgent(contract=contract_of("planner")), good=good))
