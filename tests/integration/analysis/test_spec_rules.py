"""Quality rules of specs: what a schema cannot say (T-09)."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from testwright.engine.python.write.compose import compose_spec
from testwright.mcp.tools.validate_spec import check_spec
from testwright.tests.support.engine.shop_findings import exploration, shop_findings
from testwright.tests.support.mcp.tool_session import expectation, unit_case, unit_spec

DATA = Path(__file__).parents[2] / "data" / "schemas"


def rules(spec: dict[str, Any], test_type: str = "unit") -> list[tuple[str, str]]:
    return [(error["rule"], error["path"]) for error in check_spec(spec, test_type)["errors"]]


def unit_rules(**changes: Any) -> list[tuple[str, str]]:
    return rules(unit_spec(cases=[unit_case(**changes)]))


def example(schema: str, name: str) -> dict[str, Any]:
    return json.loads((DATA / schema / "valid" / f"{name}.json").read_text())


@pytest.mark.feature("T-09")
def test_a_good_spec_has_no_errors():
    assert check_spec(unit_spec(), "unit") == {"valid": True, "errors": [], "suggestions": []}


@pytest.mark.parametrize("framework", ["pytest", "unittest"])
def test_what_the_embedded_engine_composes_is_good(framework):
    spec = compose_spec(exploration(*shop_findings()), framework=framework)
    assert check_spec(spec, "unit")["errors"] == []


@pytest.mark.feature("T-09")
@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"act": {"expression": "half(4"}}, ("unparsable", "$.cases[0].act.expression")),
        ({"act": {"expression": "half(n)"}}, ("unbound_name", "$.cases[0].act.expression")),
        ({"act": {"expression": "len('abcd')"}}, ("subject_unused", "$.cases[0].act.expression")),
        ({"arrange": {"statements": ["n = "]}}, ("unparsable", "$.cases[0].arrange.statements[0]")),
        ({"arrange": {"statements": ["n = m"]}}, ("unbound_name", "$.cases[0].arrange.statements[0]")),
        ({"expect": [expectation(value="2 +")]}, ("unparsable", "$.cases[0].expect[0].value")),
        ({"expect": [expectation(value="two")]}, ("unbound_name", "$.cases[0].expect[0].value")),
        ({"expect": [expectation(actual="2")]}, ("constant_actual", "$.cases[0].expect[0].actual")),
        ({"expect": [expectation(value="result")]}, ("tautology", "$.cases[0].expect[0]")),
        ({"expect": [expectation(kind="length", value="'two'")]}, ("not_a_length", "$.cases[0].expect[0].value")),
        ({"expect": [expectation(kind="is_instance", value="2")]}, ("not_a_class", "$.cases[0].expect[0].value")),
        ({"expect": [expectation(value="id(result)")]}, ("moving_value", "$.cases[0].expect[0].value")),
    ],
)
def test_a_broken_quality_rule_is_told_with_its_place(changes, found):
    assert found in unit_rules(**changes)


def test_an_expectation_needs_evidence_and_lines_in_order():
    without = expectation()
    del without["evidence"]
    assert unit_rules(expect=[without]) == [("no_evidence", "$.cases[0].expect[0]")]
    reversed_lines = expectation(evidence={"path": "a.py", "lines": [9, 3]})
    assert unit_rules(expect=[reversed_lines]) == [("lines_reversed", "$.cases[0].expect[0].evidence.lines")]


def test_what_an_installed_site_shows_needs_no_line_of_the_project():
    seen = {"kind": "visible", "locator": {"by": "text", "value": "Tables"}, "origin": "observed"}
    spec = example("e2e_test_schema_v1", "orders_with_pytest")
    site = {"name": "notes", "platform": "web", "application": {"command": ["notes", "{port}"]}}

    def found(expectation: dict[str, Any], **target: Any) -> bool:
        spec["target"] = {**site, **target}
        spec["cases"][0]["expect"] = [expectation]
        return ("no_evidence", "$.cases[0].expect[0]") in rules(spec, "e2e")

    assert not found(seen)
    assert found({**seen, "origin": "documented"})
    assert found(seen, path="notes.py")
    assert found(seen, application={"import": "notes:application"})


def test_ids_and_cases_are_told_when_they_repeat():
    other = unit_case(title="again", act={"expression": "half(8)"})
    assert rules(unit_spec(cases=[unit_case(), other])) == [("duplicate_id", "$.cases[1].id")]
    same = unit_case(id="tc_other")
    assert rules(unit_spec(cases=[unit_case(), same])) == [("duplicate_case", "$.cases[1]")]


def test_what_was_raised_and_printed_to_standard_error_may_be_looked_at():
    where = {"origin": "observed", "evidence": expectation()["evidence"]}
    raises = {"kind": "raises", "exception": "SystemExit", **where}
    code = {"kind": "equals", "actual": "raised.value.code", "value": "3", **where}
    told = {"kind": "equals", "actual": "printed_err", "value": "'no'", **where}
    assert unit_rules(expect=[raises, code, told]) == []
    assert unit_rules(expect=[code]) == [("unbound_name", "$.cases[0].expect[0].actual")]


def test_an_act_that_raises_has_one_exception_and_no_result():
    raises = {"kind": "raises", "exception": "ValueError", "origin": "observed", "evidence": expectation()["evidence"]}
    found = unit_rules(expect=[raises, {**raises, "exception": "KeyError"}, expectation()])
    assert found == [
        ("two_exceptions", "$.cases[0].expect[1]"),
        ("result_after_raise", "$.cases[0].expect[2].actual"),
    ]
    assert unit_rules(expect=[{**raises, "exception": "ShopError"}]) == [
        ("unbound_name", "$.cases[0].expect[0].exception")
    ]


def test_imports_parse_and_bring_in_the_target():
    assert rules(unit_spec(imports=["from shop.cart import"]))[0] == ("unparsable", "$.imports[0]")
    assert ("target_not_imported", "$.imports") in rules(unit_spec(imports=["from store import half"]))
    assert rules(unit_spec(imports=["from shop.cart import *"])) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"subject": "Cart.__len__", "act": {"expression": "half(4)"}},
        {"arrange": {"statements": ["numbers = [n for n in range(3)]"]}, "act": {"expression": "half(numbers[2])"}},
        {"arrange": {"fixtures": ["tmp_path"]}, "act": {"expression": "half(len(str(tmp_path)) * 2)"}},
        {"arrange": {"statements": ["with open(__file__) as f:\n    text = f.read()"]}},
        {"act": {"expression": "(lambda n: half(n))(4)"}},
        {"subject": "Cart", "act": {"expression": "Cart().items"}},
    ],
)
def test_what_looks_odd_and_is_right_is_left_alone(changes):
    assert unit_rules(**changes) == []


@pytest.mark.feature("T-09")
def test_every_problem_is_told_at_once_wherever_it_is():
    spec = unit_spec(framework="nose", cases=[unit_case(id="TC", act={"expression": "half("}), "no case at all"])
    found = rules(spec)
    assert {"enum", "pattern", "unparsable", "type"} <= {rule for rule, _ in found}


@pytest.mark.feature("T-09")
def test_without_strictness_broken_quality_rules_are_warnings():
    spec = unit_spec(cases=[unit_case(act={"expression": "len('abcd')"})])
    result = check_spec(spec, "unit", strict=False)
    assert result["valid"] is True
    assert [error["severity"] for error in result["errors"]] == ["warning"]
    assert result["suggestions"]
    assert check_spec({**spec, "title": ""}, "unit", strict=False)["valid"] is False


def test_a_spec_of_an_older_form_is_valid_with_the_advice_to_migrate_it():
    result = check_spec(example("api_test_schema_v1", "two_tests"), "api")
    assert result["valid"] is True
    assert [error["rule"] for error in result["errors"]] == ["older_form"]


def change(spec: dict[str, Any], path: list[Any], value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(spec)
    place: Any = changed
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    return changed


@pytest.mark.parametrize(
    ("path", "value", "rule"),
    [
        (["cases", 0, "act", "request", "auth"], "nobody", "unknown_auth"),
        (["cases", 0, "act", "request", "path_parameters"], {}, "unfilled_path"),
        (["cases", 0, "act", "request", "path_parameters"], {"id": "1", "page": 2}, "unused_parameter"),
        (["cases", 0, "act", "request", "path_parameters"], {"id": "{{other}}"}, "unset_variable"),
        (["cases", 0, "act", "request", "body"], {"media_type": "text/plain", "content": "x"}, "body_unused"),
        (["cases", 0, "act", "request", "method"], "DELETE", "other_operation"),
        (["cases", 0, "operation", "path"], "/carts/{id}", "other_operation"),
        (["cases", 0, "expect", 0, "statuses"], [404], "status_of_category"),
        (["cases", 0, "expect", 0, "statuses"], [200, 500], "pinned_failure"),
    ],
)
def test_rules_of_api_specs(path, value, rule):
    spec = change(example("api_test_schema_v2", "order_flow"), path, value)
    assert rule in {found for found, _ in rules(spec, "api")}


@pytest.mark.parametrize(
    ("path", "value", "rule"),
    [
        (["cases", 0, "crosses", 0, "to"], "mailer", "unknown_component"),
        (["cases", 0, "act", "steps", 0, "component"], "mailer", "unknown_component"),
        (["cases", 0, "arrange", "services"], ["queue"], "unknown_service"),
        (["target", "components", 1, "name"], "orders", "duplicate_component"),
        (["target", "components", 0, "role"], "collaborator", "no_entry"),
        (["target", "components"], [{"name": "orders", "role": "entry"}], "one_component"),
        (["cases", 0, "act", "steps", 0, "expression"], "orders.place(", "unparsable"),
    ],
)
def test_rules_of_integration_specs(path, value, rule):
    spec = change(example("integration_test_schema_v1", "order_takes_stock"), path, value)
    assert rule in {found for found, _ in rules(spec, "integration")}


@pytest.mark.parametrize(
    ("schema", "name", "path", "value", "rule"),
    [
        ("e2e", "checkout_in_a_browser", ["cases", 0, "expect", 0, "after_action"], 9, "no_such_action"),
        ("e2e", "checkout_in_a_browser", ["cases", 0, "act", "actions", 0, "kind"], "reload", "nothing_opened"),
        ("performance", "ramp", ["cases", 0, "expect", 0, "task"], "buy", "unknown_task"),
        ("performance", "ramp", ["cases", 0, "act", "tasks", 0, "think_seconds"], [3, 1], "range_reversed"),
        ("performance", "timed_call", ["cases", 0, "act", "expression"], "cart.total(", "unparsable"),
    ],
)
def test_rules_of_end_to_end_and_performance_specs(schema, name, path, value, rule):
    spec = change(example(f"{schema}_test_schema_v1", name), path, value)
    assert rule in {found for found, _ in rules(spec, schema)}
