"""The analyzer that needs no model, held to its contract."""

import pytest

from testwright.agents.contract.protocol import AgentRequest, RequestMetadata
from testwright.agents.embedded.analyzer_agent import EmbeddedAnalyzerAgent, _new_defects, contradicted_pins
from testwright.utils.schema_registry import contract, validator

pytestmark = pytest.mark.feature("B-02", "B-07", "C-04")

SPEC = {
    "target": {"path": "src/shop/cart.py"},
    "cases": [
        {
            "id": f"tc_{name}",
            "title": f"total of {name}",
            "subject": "total",
            "expected": "no items cost nothing",
            "arrange": {"statements": ["cart = Cart()"]},
            "act": {"expression": "cart.total()", "mode": "call"},
            "expect": [
                {
                    "kind": "equals",
                    "actual": "result",
                    "value": "0",
                    "origin": "documented",
                    "evidence": {"path": "src/shop/cart.py", "lines": [7, 8]},
                }
            ],
        }
        for name in ("none", "day", "fine")
    ],
    "suspected_defects": [
        {
            "id": "sd_tax",
            "title": "tax is not rounded",
            "subject": "tax",
            "documented": "1.1",
            "observed": "1.09",
            "evidence": {"path": "src/shop/cart.py", "lines": [20, 20]},
        }
    ],
}
RESULTS = {
    "kept": ["tc_fine"],
    "repeats": 3,
    "dropped": [
        {
            "case_id": "tc_none",
            "nodeid": "t.py::a",
            "class": "product_defect",
            "reason": "contradicts",
            "message": "1 == 0",
        },
        {
            "case_id": "tc_day",
            "nodeid": "t.py::b",
            "class": "flaky",
            "reason": "it depends on the date",
            "message": "x",
        },
        {"case_id": None, "nodeid": "t.py", "class": "test_defect", "reason": "does not load", "message": ""},
    ],
    "coverage": {
        "before": {"covered_branches": 1},
        "after": {"branches": 4, "covered_branches": 3, "statements": 9, "covered": 8},
    },
}


async def ask(results, spec):
    async with EmbeddedAnalyzerAgent() as agent:
        inputs = {"test_results": results, "spec": spec, "target": {"path": "src/shop/cart.py"}}
        return await agent.process(AgentRequest("g", "analyze_results", RequestMetadata("t"), inputs=inputs))


async def test_what_failed_is_classified_dropped_and_summed_up():
    response = await ask(RESULTS, SPEC)
    assert response.is_success()
    assert list(validator(contract("analyzer", "output")).iter_errors(response.result)) == []
    assert response.result["drop"] == ["tc_none", "tc_day"]
    assert [finding["class"] for finding in response.result["findings"]] == [
        "product_defect",
        "product_defect",
        "flaky",
        "test_defect",
    ]
    assert response.result["summary"] == (
        "1 case kept, each passing 4 times in different orders and processes. "
        "3 tests dropped: 1 product defect, 1 test defect, 1 flaky. "
        "2 suspected defects: the code contradicts its documentation. "
        "3 of 4 branches (1 before) and 8 of 9 statements covered."
    )


async def test_a_documented_expectation_that_fails_becomes_a_suspected_defect_beside_those_of_the_spec():
    response = await ask(RESULTS, SPEC)
    known, new = response.result["suspected_defects"]
    assert known == SPEC["suspected_defects"][0]
    assert new["id"] == "sd_none"
    assert new["documented"] == "no items cost nothing"
    assert new["observed"] == "1 == 0"
    assert new["reproduce"] == "cart = Cart()\ncart.total()"
    assert new["evidence"] == {"path": "src/shop/cart.py", "lines": [7, 8]}
    schema = "schemas/core_v1.json"
    defect = validator(schema).evolve(schema={"$ref": "urn:testwright:schema:core:1.0.0#/$defs/suspected_defect"})
    assert list(defect.iter_errors(new)) == []


async def test_the_same_defect_is_not_told_twice():
    spec = {**SPEC, "suspected_defects": [{**SPEC["suspected_defects"][0], "id": "sd_none"}]}
    response = await ask(RESULTS, spec)
    assert [defect["id"] for defect in response.result["suspected_defects"]] == ["sd_none"]


async def test_nothing_to_analyse_is_said_in_a_valid_answer():
    response = await ask({}, {})
    assert response.result["summary"] == "no cases kept."
    assert list(validator(contract("analyzer", "output")).iter_errors(response.result)) == []


async def test_tests_without_a_spec_are_counted_as_tests():
    many = await ask({"passed": 455, "failed": 0, "kept": [], "dropped": [], "repeats": 3}, {})
    one = await ask({"passed": 1, "failed": 0, "kept": [], "dropped": [], "repeats": 0}, {})
    assert one.result["summary"] == "1 test holds."
    assert many.result["summary"] == "455 tests hold, each passing 4 times in different orders and processes."


def test_a_pin_is_of_the_same_call_however_it_is_written_and_only_then() -> None:
    def acting(name: str, **act: str) -> dict[str, object]:
        return {"id": name, "title": name, "subject": "f", "act": act, "expect": [{"origin": "observed"}]}

    cases = [
        acting("tc_shown", expression="f('a b')"),
        acting("tc_same", expression='f( "a b" )', mode="call"),
        acting("tc_other", expression="f('ab')"),
        acting("tc_awaited", expression="f('a b')", mode="await"),
    ]
    assert list(contradicted_pins({"cases": cases}, ["tc_shown"])) == ["tc_same"]


def test_a_defect_of_an_operation_is_told_by_its_method_and_path_once() -> None:
    operation = {"method": "POST", "path": "/orders", "operation_id": "add_order"}
    expect = [{"kind": "status", "statuses": [422], "origin": "documented"}]
    case = {"id": "tc_a", "title": "POST /orders refuses no body", "operation": operation, "act": {}, "expect": expect}
    row = {"case_id": "tc_a", "class": "product_defect", "message": "400 == 422"}
    [defect] = _new_defects([row], {"tc_a": case}, [], "app.py")
    assert (defect["subject"], defect["title"]) == ("POST /orders", "POST /orders refuses no body")
