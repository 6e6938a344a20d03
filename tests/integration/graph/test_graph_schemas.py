"""Both graphs describe their inputs as LangGraph's users know it."""

import pytest

from testwright.graph.execution_graph.graph import build_testing_graph
from testwright.graph.planning_graph.planning_graph import build_planning_graph


@pytest.mark.parametrize(
    ("build", "field"), [(build_planning_graph, "user_request"), (build_testing_graph, "spec_json")]
)
def test_the_inputs_of_a_graph_have_a_json_schema(build, field):
    assert field in build().get_input_jsonschema()["properties"]
