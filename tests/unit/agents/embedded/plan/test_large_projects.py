"""Plans of large projects: their cost grows with the project, not with its square, and their size is limited."""

import os

import pytest

from testwright.agents.contract.protocol import AgentRequest, RequestMetadata
from testwright.agents.embedded.plan import target_index
from testwright.agents.embedded.plan.order.plan_size import MOST_ROWS, within_limits
from testwright.agents.embedded.plan.planner_agent import EmbeddedPlannerAgent
from testwright.utils.python_source import parse_python
from testwright.utils.schema_registry import load_schema

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


def plan_of(**kinds):
    """A plan with so many generate steps of each kind, then verifying and accepting."""
    steps = [
        {
            "id": f"{kind}_{number}",
            "type": f"generate_{kind}_tests",
            "params": {"test_path": f"tests/{kind}_{number}.py"},
        }
        for kind, many in kinds.items()
        for number in range(many)
    ]
    paths = [step["params"]["test_path"] for step in steps]
    verify = {
        "id": "v",
        "type": "verify_suite",
        "params": {"test_paths": paths, "depends_on": [s["id"] for s in steps]},
    }
    accept = {"id": "a", "type": "accept_tests", "params": {"test_paths": paths, "depends_on": ["v"]}}
    return {"steps": [*steps, verify, accept], "understood": ["Tests."], "not_understood": [], "skipped": []}


def test_a_plan_that_its_contract_takes_stays_as_it_is():
    plan = plan_of(unit=4, integration=4)
    assert within_limits(plan, 10) == plan


def test_a_plan_beyond_the_limit_has_the_most_important_steps_of_each_kind_and_says_how_many_are_left_out():
    found = within_limits(plan_of(unit=20, integration=3), 10)
    ids = ["unit_0", "unit_1", "unit_2", "unit_3", "unit_4", "integration_0", "integration_1", "integration_2"]
    assert [step["id"] for step in found["steps"]] == [*ids, "v", "a"]
    verify, accept = found["steps"][-2:]
    assert verify["params"]["depends_on"] == ids
    assert verify["params"]["test_paths"] == accept["params"]["test_paths"] == [f"tests/{one}.py" for one in ids]
    assert found["understood"] == ["Tests. Planned are the 8 most important of them."]
    [row] = found["skipped"]
    assert row["target"] == "15 further targets"
    assert "at most 10 steps" in row["reason"]


def test_rows_of_what_is_left_out_beyond_the_limit_are_counted():
    rows = [{"target": f"m{number}", "reason": "no"} for number in range(12)]
    found = within_limits({**plan_of(unit=1), "skipped": rows}, 10)["skipped"]
    assert [row["target"] for row in found] == [*(f"m{number}" for number in range(9)), "3 more"]


def test_the_limit_of_plans_is_that_of_their_contract():
    found = load_schema("schemas/planner/output.json")["properties"]
    assert found["steps"]["maxItems"] == found["understood"]["maxItems"] == found["skipped"]["maxItems"] == MOST_ROWS


async def test_a_request_that_names_a_file_reads_the_symbols_of_that_file_alone(tmp_path, monkeypatch):
    for number in range(5):
        (tmp_path / f"part_{number}.py").write_text("def total(n):\n    return n\n")
    parsed = list[str]()

    def noted(content, name):
        parsed.append(name)
        return parse_python(content, name)

    monkeypatch.setattr(target_index, "parse_python", noted)
    inputs = {"user_request": "unit tests for part_3.py", "root": str(tmp_path)}
    async with EmbeddedPlannerAgent() as planner:
        response = await planner.process(AgentRequest("p", "p", RequestMetadata("t"), inputs=inputs))
    assert response.result["steps"][0]["params"]["target"]["path"] == "part_3.py"
    assert parsed == ["part_3.py"]
