"""A model adds flows across modules to those of the engine."""

from typing import Any

import pytest

from testwright.agents.llm.spec_agent import ModelSpecAgent
from testwright.mcp.tools.validate_spec import check_spec
from testwright.tests.support.agents.fake_chat import Engine, FakeChat, asked
from testwright.tests.support.projects.depot import DEPOT
from testwright.tests.support.projects.files import make_project


def base_spec() -> dict[str, Any]:
    """The engine's spec: one flow of the depot's shipping."""
    evidence = {"path": "src/depot/shipping.py", "lines": [16, 22]}
    components = [
        {
            "name": name,
            "role": role,
            "path": f"src/depot/{name}.py",
            "module": f"depot.{name}",
            "import_root": "src",
            "digest": "0" * 64,
        }
        for name, role in (("shipping", "entry"), ("shelf", "collaborator"))
    ]
    case = {
        "id": "tc_ship",
        "title": "ship takes pieces from the shelf",
        "priority": "medium",
        "preconditions": [],
        "steps": ["shipping: ship"],
        "expected": "two are left",
        "crosses": [{"from": "shipping", "to": "shelf"}],
        "arrange": {"statements": ["shelf = Shelf()", "shelf.put('tea', 5)"]},
        "act": {"steps": [{"component": "shipping", "expression": "ship('tea', 3, shelf)"}]},
        "expect": [
            {
                "kind": "equals",
                "actual": "shelf.pieces('tea')",
                "value": "2",
                "origin": "observed",
                "evidence": evidence,
            }
        ],
    }
    return {
        "schema_version": "1.0.0",
        "test_type": "integration",
        "title": "Integration tests for depot.shipping with shelf",
        "language": "python",
        "framework": "pytest",
        "target": {"components": components, "edges": [{"from": "shipping", "to": "shelf", "through": "calls"}]},
        "imports": ["from depot.shelf import Shelf", "from depot.shipping import ship"],
        "cases": [case],
        "suspected_defects": [],
        "not_reached": [],
    }


def answer(**more: Any) -> dict[str, Any]:
    """A model's answer with one flow."""
    flow = {
        "id": "tc_ship_twice_leaves_nothing",
        "title": "what is shipped twice is gone",
        "subject": "ship",
        "priority": "high",
        "fixtures": [],
        "statements": ["shelf = Shelf()", "shelf.put('tea', 4)", "ship('tea', 2, shelf)"],
        "expression": "ship('tea', 2, shelf)",
        "mode": "call",
        "expected": "nothing is left",
        "expect": [
            {
                "kind": "equals",
                "actual": "shelf.pieces('tea')",
                "value": "0",
                "exception": None,
                "match": None,
                "origin": "inferred",
                "lines": [16, 22],
            }
        ],
    }
    imports = ["from depot.shelf import Shelf", "from depot.shipping import ship"]
    return {"imports": imports, "cases": [{**flow, **more}]}


async def specified(root: Any, *answers: Any) -> tuple[Any, FakeChat]:
    chat = FakeChat(*answers)
    inputs = {"target": {"path": "src/depot/shipping.py"}, "test_type": "integration", "framework": "pytest"}
    response = await asked(ModelSpecAgent(chat, Engine(base_spec()), make_project(root, DEPOT)), inputs)
    return response, chat


@pytest.mark.feature("T-20", "T-13")
async def test_flows_of_a_model_stand_behind_those_of_the_engine_in_a_valid_spec(tmp_path):
    response, chat = await specified(tmp_path, answer())
    spec = response.result["spec"]
    assert [case["id"] for case in spec["cases"]] == ["tc_ship", "tc_ship_twice_leaves_nothing"]
    assert spec["cases"][1]["crosses"] == [{"from": "shipping", "to": "shelf"}]
    assert check_spec(spec, "integration")["errors"] == []
    assert "class Shelf" in chat.calls[0].user
    assert "ship takes pieces from the shelf" in chat.calls[0].user


async def test_a_flow_with_an_id_that_is_taken_is_left_out(tmp_path):
    response, _ = await specified(tmp_path, answer(id="tc_ship"))
    assert response.result["spec"] == base_spec()


async def test_flows_that_start_processes_are_refused(tmp_path):
    bad = answer(statements=["import subprocess", "subprocess.run(['true'])", "shelf = Shelf()"])
    response, _ = await specified(tmp_path, bad)
    assert response.is_error()
