"""Both graphs describe their inputs, and draw their phases, as LangGraph's users know it."""

from pathlib import Path

import pytest

from testwright.graph.execution_graph.graph import build_testing_graph
from testwright.graph.planning_graph.planning_graph import NODES, build_planning_graph
from testwright.tests.support.runs.command_line import invoke_command


@pytest.mark.parametrize(
    ("build", "field"), [(build_planning_graph, "user_request"), (build_testing_graph, "spec_json")]
)
def test_the_inputs_of_a_graph_have_a_json_schema(build, field):
    assert field in build().get_input_jsonschema()["properties"]


@pytest.mark.feature("T-19")
def test_the_picture_of_a_graph_shows_its_phases(tmp_path: Path) -> None:
    picture = invoke_command("graph", cwd=tmp_path)
    assert picture.code == 0
    phases = [node.__name__ for node in NODES]
    assert all(f"\t{name}({name})" in picture.out for name in phases)
    assert "check_safety --> execute_current_step" in picture.out
    testing = invoke_command("graph", "testing", cwd=tmp_path).out
    assert all(name in testing for name in ("generate_spec", "refine_spec", "validate_code", "analyze_results"))
