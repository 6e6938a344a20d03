"""Flows across modules: explored in the sandbox, written down, rendered, and run by plain pytest and unittest."""

import os
import subprocess
import sys

import pytest

from testwright.core.errors import AgentFailure
from testwright.engine.integration.model.components import Edge, FlowCase
from testwright.engine.integration.model.wide_arcs import OFFSET, WideArcs
from testwright.engine.python.explore.explore import ExplorationBudget
from testwright.engine.python.write.repair import proven_cases
from testwright.engine.rendering import render_files
from testwright.mcp.tools.validate_code import check_code
from testwright.mcp.tools.validate_spec import check_spec
from testwright.tests.support.engine.flow_specs import held, specified_twice
from testwright.tests.support.projects.depot import DEPOT
from testwright.tests.support.projects.files import make_project
from testwright.tests.support.projects.running import WITHOUT_PLUGINS

TEST_PATH = "tests/generated/integration/test_depot_shipping_flows.py"
SHIPPING = "src/depot/shipping.py"


@pytest.fixture(scope="module")
def explored(tmp_path_factory):
    """The spec of the depot's shipping, made twice. Read only."""
    yield from held(
        specified_twice(tmp_path_factory.mktemp("flows"), DEPOT, SHIPPING, ExplorationBudget(trials=80, quiet=60))
    )


def ran(root, framework, spec):
    """A plain runner on the rendered file, in a copy of the project."""
    (file,) = render_files(spec, framework, TEST_PATH)
    make_project(root, {**DEPOT, TEST_PATH: file.contents})
    module = ["pytest", "-q", "-p", "no:cacheprovider"] if framework == "pytest" else ["unittest", "-v"]
    environment = {**os.environ, **WITHOUT_PLUGINS, "PYTHONPATH": str(root / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", *module, TEST_PATH]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.feature("T-20", "B-06")
def test_two_explorations_give_the_same_spec(explored):
    assert explored.spec == explored.again


@pytest.mark.feature("T-20", "T-08", "T-09")
def test_the_spec_is_valid_and_every_case_was_seen_to_cross(explored):
    answer = check_spec(explored.spec, "integration")
    assert answer["errors"] == []
    assert {"from": "shipping", "to": "shelf", "through": "calls"} in explored.spec["target"]["edges"]
    assert all({"from": "shipping", "to": "shelf"} in case["crosses"] for case in explored.spec["cases"])


@pytest.mark.feature("T-20")
def test_a_flow_looks_at_the_other_object_afterwards(explored):
    demanded = [
        (one["actual"], one.get("value"))
        for case in explored.spec["cases"]
        for one in case["expect"]
        if "shelf" in one.get("actual", "")
    ]
    assert any(actual.startswith("shelf.pieces(") for actual, _ in demanded)


def test_what_the_collaborator_refuses_is_documented_by_the_entry(explored):
    refused = [one for case in explored.spec["cases"] for one in case["expect"] if one["kind"] == "raises"]
    assert [(one["exception"], one["origin"]) for one in refused] == [("Missing", "documented")]


def test_a_step_names_the_component_it_calls(explored):
    steps = [[step["component"] for step in case["act"]["steps"]] for case in explored.spec["cases"]]
    assert all(names[-1] == "shipping" for names in steps)
    assert any("shelf" in names for names in steps)


@pytest.mark.feature("T-20", "B-04", "T-10")
@pytest.mark.parametrize("framework", ["pytest", "unittest"])
def test_the_rendered_file_passes_its_checks_and_a_plain_runner(explored, tmp_path, framework):
    done = ran(tmp_path, framework, explored.spec)
    assert done.returncode == 0, done.stdout + done.stderr
    text = (tmp_path / TEST_PATH).read_text(encoding="utf-8")
    known = {case["id"] for case in explored.spec["cases"]}
    assert proven_cases(text, known) == known
    assert check_code(text, TEST_PATH, framework)["errors"] == []
    assert render_files(explored.spec, framework, TEST_PATH)[0].contents == text


def test_a_case_reads_back_as_it_was_written(explored):
    for case in explored.spec["cases"]:
        assert FlowCase.from_json(case).to_json() == case


def test_an_unknown_framework_is_refused(explored):
    with pytest.raises(AgentFailure, match="cannot be written for 'jest'"):
        render_files(explored.spec, "jest", TEST_PATH)


def test_arcs_of_several_files_keep_apart_and_calls_between_them_are_edges():
    arcs = WideArcs(
        ["pkg.a", "pkg.b"], ["def f():\n    return 1\n", "def g(x):\n    if x:\n        return 1\n    return 2\n"]
    )
    call = (2, OFFSET + 1)
    inside = (OFFSET + 2, OFFSET + 3)
    assert arcs.real([call, inside, (OFFSET + 2, OFFSET + 9)]) == {call, inside}
    assert arcs.edges([call, inside]) == {Edge("pkg.a", "pkg.b")}
