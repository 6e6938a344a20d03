"""The embedded writer turns specs into files, and leaves out what it is told is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.agents.contract.compliance import COMPLIANCE, Candidate, Check
from testwright.agents.contract.contracts import contract_of
from testwright.agents.contract.protocol import AgentRequest, AgentResponse, RequestMetadata
from testwright.agents.embedded.writing_agent import EmbeddedWritingAgent
from testwright.engine.python.write.compose import compose_spec
from testwright.engine.python.write.render import render
from testwright.tests.support.engine.shop_findings import exploration, shop_findings

RUN_ID = "0b9f2a4e-6f0e-4b0e-9f0a-3a0f4d1c2b3a"
PATH = "tests/generated/shop/test_cart.py"


def made() -> dict[str, Any]:
    """A valid spec about the cart."""
    return compose_spec(exploration(*shop_findings()), framework="pytest")


def envelope(spec: dict[str, Any], framework: str = "pytest", **more: Any) -> dict[str, Any]:
    """A hydration envelope for the writer."""
    parameters = {"framework": framework, "test_path": PATH}
    return {"run_id": RUN_ID, "upstream": "spec", "payload": {"spec": spec}, "parameters": parameters, **more}


async def ask(inputs: dict[str, Any]) -> AgentResponse:
    """What the writer answers."""
    async with EmbeddedWritingAgent(contract=contract_of("writer")) as agent:
        return await agent.process(AgentRequest("write", "write the tests", RequestMetadata("trace-1"), inputs=inputs))


def refining(spec: dict[str, Any], contents: str, *errors: dict[str, Any]) -> dict[str, Any]:
    """Inputs of a refinement."""
    return envelope(spec, previous_files=[{"path": PATH, "contents": contents}], errors=list(errors))


@pytest.mark.feature("C-04", "C-05")
@pytest.mark.parametrize("check", COMPLIANCE, ids=lambda check: check.__name__)
async def test_it_keeps_the_contract_of_every_agent(check: Check) -> None:
    await check(Candidate(lambda: EmbeddedWritingAgent(contract=contract_of("writer")), good=envelope(made())))


@pytest.mark.feature("B-04")
@pytest.mark.parametrize("framework", ["pytest", "unittest"])
async def test_it_writes_one_file_with_every_case(framework: str) -> None:
    spec = made()

    response = await ask(envelope(spec, framework))

    assert response.is_success(), response.error
    assert response.result == {"files": [{"path": PATH, "contents": render(spec, framework)}]}
    assert response.metadata["not_written"] == []


@pytest.mark.feature("C-04")
async def test_a_case_that_makes_no_test_is_left_out_and_told() -> None:
    spec = made()
    spec["cases"][0]["act"]["expression"] = "Cart("

    response = await ask(envelope(spec))

    assert response.is_success(), response.error
    assert [one["case_id"] for one in response.metadata["not_written"]] == [spec["cases"][0]["id"]]
    assert [one["event"] for one in response.trace].count("case_left_out") == 1
    assert spec["cases"][0]["id"] not in response.result["files"][0]["contents"]


@pytest.mark.feature("T-07", "B-03")
async def test_a_refinement_leaves_out_the_case_the_errors_are_about_and_stays_so() -> None:
    spec = made()
    first = render(spec, "pytest")
    line = next(at for at, text in enumerate(first.splitlines(), 1) if "assert cart.items" in text)

    second = await ask(refining(spec, first, {"type": "lint", "line": line, "message": "odd"}))
    contents = second.result["files"][0]["contents"]
    third = await ask(refining(spec, contents, {"type": "lint", "line": 1, "message": "about no test"}))

    (left_out,) = second.metadata["not_written"]
    assert left_out == {"case_id": "tc_cart_add", "reason": "odd"}
    assert "def test_add(self):" in first
    assert "def test_add(self):" not in contents
    assert contents.count("def test_") == first.count("def test_") - 1
    assert third.result["files"][0]["contents"] == contents


@pytest.mark.feature("T-07")
async def test_a_file_that_somebody_else_wrote_is_written_anew_with_every_case() -> None:
    spec = made()
    other = render(spec, "pytest").replace("assert cart.items", "assert  cart.items")

    response = await ask(refining(spec, other, {"type": "lint", "line": 40, "message": "two spaces"}))

    assert response.result["files"][0]["contents"] == render(spec, "pytest")


async def test_a_spec_without_a_case_is_an_error_that_says_so() -> None:
    response = await ask(envelope({**made(), "cases": []}))

    assert response.is_error()
    assert response.error is not None
    assert "no case" in response.error.message
