"""What planning costs grows with a project, and not with its square."""

import os

import pytest

from testwright.agents.contract.protocol import AgentRequest, RequestMetadata
from testwright.agents.embedded.plan.planner_agent import EmbeddedPlannerAgent

pytestmark = pytest.mark.feature("A-08", "B-19")


@pytest.fixture
def listings(tmp_path, monkeypatch):
    """Plan tests of a package of so many modules; return how many folders were listed, and the steps."""

    async def plan(modules: int):
        root = tmp_path / f"of_{modules}"
        (root / "shop").mkdir(parents=True)
        for number in range(modules):
            (root / f"shop/part_{number:03d}.py").write_text(f"def total_{number}(n):\n    return n\n")
        count = 0
        real = os.scandir

        def counted(*given):
            nonlocal count
            count += 1
            return real(*given)

        inputs = {"user_request": "unit tests for shop", "root": str(root)}
        async with EmbeddedPlannerAgent() as planner:
            with monkeypatch.context() as patched:
                patched.setattr(os, "scandir", counted)
                response = await planner.process(AgentRequest("p", "p", RequestMetadata("t"), inputs=inputs))
        return count, [step for step in response.result["steps"] if step["type"] == "generate_unit_tests"]

    return plan


async def test_a_plan_lists_the_folders_of_a_project_as_often_for_sixty_modules_as_for_ten(listings):
    few, _ = await listings(10)
    many, steps = await listings(60)
    assert len({step["params"]["test_path"] for step in steps}) == 60
    assert many == few
    assert few > 0
