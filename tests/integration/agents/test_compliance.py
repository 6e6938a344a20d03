"""Every kind of agent keeps the one contract (C-05)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from testwright.agents.contract.compliance import COMPLIANCE, Candidate, Check
from testwright.agents.contract.contracts import contract_of
from testwright.agents.contract.lifecycle import Agent
from testwright.agents.contract.protocol import AgentRequest, JsonObject
from testwright.agents.embedded.analyzer_agent import EmbeddedAnalyzerAgent
from testwright.agents.embedded.plan.planner_agent import EmbeddedPlannerAgent
from testwright.agents.embedded.specs.spec_agent import EmbeddedSpecAgent
from testwright.agents.embedded.specs.unit_specs import UnitSpecGenerator
from testwright.agents.embedded.writing_agent import EmbeddedWritingAgent
from testwright.engine.python.explore.explore import ExplorationBudget
from testwright.tests.support.engine.targets import prepared
from testwright.utils.schema_registry import bundle, select_schema

RUN_ID = "0b5ff1d2-6f0e-4c8e-9a56-3f2f5f0d7a11"
SPEC = {
    "schema_version": "1.0.0",
    "test_type": "unit",
    "title": "Unit tests for sums",
    "language": "python",
    "framework": "pytest",
    "target": {"path": "src/sums.py", "module": "sums", "import_root": "src", "digest": "0" * 64},
    "imports": ["from sums import add"],
    "cases": [
        {
            "id": "tc_add",
            "title": "add of 1 and 2 is 3",
            "subject": "add",
            "priority": "medium",
            "preconditions": [],
            "steps": ["call add(1, 2)"],
            "expected": "the result equals 3",
            "arrange": {"fixtures": [], "statements": []},
            "act": {"expression": "add(1, 2)", "mode": "call"},
            "expect": [
                {
                    "kind": "equals",
                    "actual": "result",
                    "value": "3",
                    "origin": "observed",
                    "evidence": {"path": "src/sums.py", "lines": [1, 2]},
                }
            ],
        }
    ],
    "suspected_defects": [],
    "not_reached": [],
}


class _Adder(Agent):
    role = "adder"

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


@pytest.mark.feature("C-05")
@pytest.mark.parametrize("check", COMPLIANCE, ids=_name)
async def test_the_embedded_spec_agent_keeps_the_contract(check: Check, tmp_path: Path) -> None:
    schema = select_schema("unit")
    assert schema is not None
    good = {
        "run_id": RUN_ID,
        "user_request": "unit tests for sums.py",
        "test_type": "unit",
        "target": {"path": "src/sums.py", "module": "sums", "import_root": "src", "symbols": None},
        "framework": "pytest",
        "schema": bundle(schema),
        "codebase_context": None,
        "ast_analysis": None,
    }
    async with prepared(
        tmp_path, {"src/sums.py": "def add(one: int, other: int) -> int:\n    return one + other\n"}
    ) as made:

        async def target():
            return made

        def agent() -> EmbeddedSpecAgent:
            return EmbeddedSpecAgent(
                {"unit": UnitSpecGenerator(target, made.root, budget=ExplorationBudget(trials=20))},
                contract=contract_of("spec"),
            )

        await check(Candidate(agent, good=good))


@pytest.mark.feature("C-05")
@pytest.mark.parametrize("check", COMPLIANCE, ids=_name)
async def test_the_embedded_writer_keeps_the_contract(check: Check) -> None:
    good = {
        "run_id": RUN_ID,
        "upstream": {"agent": "spec", "artifact_id": RUN_ID, "schema_id": "urn:testwright:schema:spec.output:1.0.0"},
        "payload": {"spec": SPEC},
        "parameters": {"framework": "pytest", "test_path": "tests/generated/test_sums.py"},
    }
    await check(Candidate(lambda: EmbeddedWritingAgent(contract=contract_of("writer")), good=good))


@pytest.mark.feature("C-05")
@pytest.mark.parametrize("check", COMPLIANCE, ids=_name)
async def test_the_embedded_analyzer_keeps_the_contract(check: Check) -> None:
    results = {
        "framework": "pytest",
        "passed": 1,
        "failed": 0,
        "kept": ["tc_add"],
        "dropped": [],
        "tests": [{"nodeid": "test_sums.py::test_add", "case_id": "tc_add", "outcome": "passed"}],
        "coverage": None,
        "repeats": 3,
        "sandbox": "bubblewrap",
    }
    good = {"run_id": RUN_ID, "test_results": results, "spec": SPEC, "target": {"path": "src/sums.py"}}
    await check(Candidate(lambda: EmbeddedAnalyzerAgent(contract=contract_of("analyzer")), good=good))
