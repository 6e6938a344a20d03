"""The registry of contracts says what the code does, docs/contracts.md says the same, and changes are traced by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.app.contracts.impact import impact_of
from testwright.app.contracts.page import contracts_page
from testwright.app.contracts.registry import ContractRegistry, NodeContractRow, contract_registry
from testwright.config.control import AGENT_ROLES
from testwright.core.errors import UsageError
from testwright.tests.support.runs.command_line import invoke_command

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def registry() -> ContractRegistry:
    return contract_registry()


def node(registry: ContractRegistry, name: str) -> NodeContractRow:
    return next(row for row in registry.nodes if row.name == name)


@pytest.mark.feature("D-01")
def test_the_page_is_what_the_code_says(registry: ContractRegistry) -> None:
    written = (ROOT / "docs/contracts.md").read_text()
    assert written == contracts_page(registry), "run `make contracts` and read what has changed"


@pytest.mark.feature("D-01")
def test_every_role_tool_and_node_is_in_the_registry(registry: ContractRegistry) -> None:
    assert {row.role for row in registry.agents} == set(AGENT_ROLES) - {"judge"}, "no judge is shipped"
    tools = {path.stem for folder in ("mcp/tools", "mcp/serving/tools") for path in (ROOT / folder).glob("[a-z]*.py")}
    assert {Path(row.module.replace(".", "/")).name for row in registry.tools} >= tools - {"run_tests"}
    nodes = {
        path.stem
        for folder in ("planning_graph", "execution_graph", "evidence_loop")
        for path in (ROOT / "graph" / folder / "nodes").glob("[a-z]*.py")
    }
    assert {row.name for row in registry.nodes} == nodes


@pytest.mark.feature("D-01")
def test_a_node_is_read_with_all_that_it_calls(registry: ContractRegistry) -> None:
    row = node(registry, "validate_goal")
    assert {"user_request", "plan", "control", "exit_reason"} <= set(row.reads)
    assert {"plan", "status", "control", "exit_reason"} <= set(row.writes)
    assert (row.agents, row.tools) == (("planner", "goal"), ("write_file",))
    assert {"plan_ready", "progress"} <= set(row.events)


@pytest.mark.feature("D-01")
def test_an_agent_is_listed_with_schemas_side_effects_and_who_asks_it(registry: ContractRegistry) -> None:
    row = next(row for row in registry.agents if row.name == "ModelPlannerAgent")
    assert (row.input, row.output) == ("schemas/planner/input.json", "schemas/planner/output.json")
    assert row.effects == ("sends prompts to the model's endpoint",)
    assert row.asked_by == ("planning.build_plan", "planning.validate_goal")


@pytest.mark.feature("D-09")
@pytest.mark.parametrize(
    ("changed", "kind", "among"),
    [
        ("schemas/unit_test_schema_v1.json", "nodes", "testing.validate_spec"),
        ("schemas/unit_test_schema_v1.json", "tools", "validate_test_spec"),
        ("schemas/core_v1.json", "schemas", "schemas/unit_test_schema_v1.json"),
        ("schemas/planner/output.json", "agents", "planner: EmbeddedPlannerAgent"),
        ("core/usage.py", "nodes", "planning.build_plan"),
        ("agents/prompts/planner.md", "agents", "planner: ModelPlannerAgent"),
        ("goal", "nodes", "planning.validate_goal"),
        ("write_file", "nodes", "planning.build_plan"),
        ("tests_run", "nodes", "testing.run_tests"),
    ],
)
def test_a_change_is_traced_to_what_depends_on_it(changed: str, kind: str, among: str) -> None:
    assert among in getattr(impact_of(changed), kind)


@pytest.mark.feature("D-09")
def test_the_level_of_a_change_grows_with_what_depends_on_it() -> None:
    assert impact_of("core/usage.py").level == "HIGH"
    assert impact_of("write_file").level == "MEDIUM"
    assert impact_of("agents/prompts/planner.md").level == "LOW"


def test_what_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match=r"no file, schema or component 'nothing\.py'"):
        impact_of("nothing.py")


@pytest.mark.feature("D-09")
def test_the_command_says_what_breaks(tmp_path: Path) -> None:
    done = invoke_command("contracts", "--if-changed", "schemas/unit_test_schema_v1.json", cwd=tmp_path)
    head, *lines = done.out.splitlines()
    assert (done.code, head) == (0, "schemas/unit_test_schema_v1.json: MEDIUM")
    named = dict(line.split(": ", 1) for line in lines)
    assert "testing.validate_spec" in named["nodes"].split(", ")
    assert "validate_test_spec" in named["tools"].split(", ")
    refused = invoke_command("contracts", "--if-changed", "nothing.py", cwd=tmp_path)
    assert (refused.code, "no file, schema or component 'nothing.py'" in refused.err) == (2, True)
