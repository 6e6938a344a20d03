"""The embedded spec writer explores a real project in the sandbox and says what tests may demand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from testwright.agents.contract.compliance import COMPLIANCE, Candidate, Check
from testwright.agents.contract.contracts import contract_of
from testwright.agents.contract.protocol import AgentRequest, AgentResponse, RequestMetadata
from testwright.agents.embedded.specs.spec_agent import EmbeddedSpecAgent
from testwright.agents.embedded.specs.unit_specs import UnitSpecGenerator, is_wanted
from testwright.engine.python.explore.explore import ExplorationBudget
from testwright.engine.python.write.compose import compose_spec
from testwright.mcp.tools.validate_spec import check_spec
from testwright.sandbox.target import PythonTarget
from testwright.tests.support.engine.shop_findings import exploration, shop_findings
from testwright.tests.support.engine.targets import prepared
from testwright.utils.schema_registry import load_schema, select_schema

RUN_ID = "0b9f2a4e-6f0e-4b0e-9f0a-3a0f4d1c2b3a"
SMALL = ExplorationBudget(trials=80, quiet=60)
PRICES = '''
def clamp(value: int, low: int, high: int) -> int:
    """Keep a value between two bounds.

    >>> clamp(5, 0, 3)
    3
    """
    if low > high:
        raise ValueError("low is above high")
    return max(low, min(value, high))


def double(value: int) -> int:
    """Twice the value.

    >>> double(2)
    5
    """
    return value * 2
'''


def inputs(path: str = "src/shop/prices.py", symbols: Sequence[str] | None = None, **more: Any) -> dict[str, Any]:
    """What the graph gives the spec agent."""
    schema = load_schema(select_schema("unit") or "")
    return {
        "run_id": RUN_ID,
        "user_request": "unit tests for the prices",
        "test_type": "unit",
        "target": {"path": path, "module": None, "import_root": None, "symbols": symbols},
        "framework": "pytest",
        "schema": schema,
        "codebase_context": None,
        "ast_analysis": None,
        **more,
    }


async def no_target() -> PythonTarget:
    """For what needs no sandbox."""
    raise AssertionError("a refinement runs nothing")


async def ask(agent: EmbeddedSpecAgent, given: dict[str, Any]) -> AgentResponse:
    """What the agent answers."""
    async with agent:
        return await agent.process(AgentRequest("specify", "specify", RequestMetadata("trace-1"), inputs=given))


@pytest.mark.feature("T-08", "B-02", "B-06")
async def test_a_module_becomes_a_valid_spec_with_documented_cases_and_suspected_defects(tmp_path: Path) -> None:
    files = {"src/shop/__init__.py": "", "src/shop/prices.py": PRICES}
    async with prepared(tmp_path, files) as target:

        async def provider() -> PythonTarget:
            return target

        root = tmp_path / "project-of-a-user"
        agent = EmbeddedSpecAgent(
            {"unit": UnitSpecGenerator(provider, root, budget=SMALL)}, contract=contract_of("spec")
        )
        response = await ask(agent, inputs())
        again = await ask(agent, inputs())
        narrowed = await ask(agent, inputs(symbols=["clamp"]))

    assert response.is_success(), response.error
    spec = response.result["spec"]
    assert check_spec(spec, "unit")["errors"] == []
    documented = [case for case in spec["cases"] if case["expect"][0]["origin"] == "documented"]
    assert "clamp(5, 0, 3)" in [case["act"]["expression"] for case in documented]
    assert [defect["subject"] for defect in spec["suspected_defects"]] == ["double"]
    assert again.result == response.result
    assert {case["subject"] for case in narrowed.result["spec"]["cases"]} == {"clamp"}
    assert narrowed.result["spec"]["suspected_defects"] == []


@pytest.mark.feature("T-06")
async def test_a_refinement_mends_the_previous_spec_without_running_anything(tmp_path: Path) -> None:
    spec = compose_spec(exploration(*shop_findings()), framework="pytest")
    spec["cases"][0]["act"]["expression"] = "Cart("
    errors = check_spec(spec, "unit")["errors"]
    agent = EmbeddedSpecAgent({"unit": UnitSpecGenerator(no_target, tmp_path)}, contract=contract_of("spec"))

    response = await ask(agent, inputs(previous_spec=spec, errors=errors))

    assert response.is_success(), response.error
    assert check_spec(response.result["spec"], "unit")["errors"] == []
    assert [one["case_id"] for one in response.metadata["dropped"]] == [spec["cases"][0]["id"]]


async def test_errors_that_cannot_be_mended_are_said_to_be_so(tmp_path: Path) -> None:
    spec = compose_spec(exploration(*shop_findings()), framework="pytest")
    errors = [{"path": "$.target.digest", "message": "wrong", "severity": "error"}]

    response = await ask(
        EmbeddedSpecAgent({"unit": UnitSpecGenerator(no_target, tmp_path)}), inputs(previous_spec=spec, errors=errors)
    )

    assert response.is_error()


async def test_other_test_types_are_refused(tmp_path: Path) -> None:
    response = await ask(EmbeddedSpecAgent({"unit": UnitSpecGenerator(no_target, tmp_path)}), inputs(test_type="api"))

    assert response.is_error()
    assert response.error is not None
    assert "api" in response.error.message


@pytest.mark.feature("C-04", "C-05")
@pytest.mark.parametrize("check", COMPLIANCE, ids=lambda check: check.__name__)
async def test_it_keeps_the_contract_of_every_agent(check: Check, tmp_path: Path) -> None:
    spec = compose_spec(exploration(*shop_findings()), framework="pytest")
    errors = [{"path": "$.cases[0]", "message": "not wanted", "severity": "error"}]
    good = inputs(previous_spec=spec, errors=errors)

    await check(
        Candidate(
            lambda: EmbeddedSpecAgent({"unit": UnitSpecGenerator(no_target, tmp_path)}, contract=contract_of("spec")),
            good=good,
        )
    )


def test_a_class_stands_for_its_members() -> None:
    assert is_wanted("Cart.add", ["Cart"])
    assert not is_wanted("Cart", ["Cart.add"])
    assert not is_wanted("Cartload", ["Cart"])
