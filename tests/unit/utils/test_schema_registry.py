"""Choosing, reading, migrating and comparing schemas (T-08)."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from testwright.core.errors import UsageError
from testwright.tests.support.schema_compatibility import compatible
from testwright.utils.schema_registry import (
    bundle,
    contract,
    known_test_types,
    load_schema,
    migrate,
    schema_for_spec,
    select_schema,
    validator,
    versions,
)

DATA = Path(__file__).parents[2] / "data" / "schemas"
OLD_SPEC = json.loads((DATA / "api_test_schema_v1" / "valid" / "two_tests.json").read_text())


@pytest.mark.feature("T-08")
@pytest.mark.parametrize(
    ("test_type", "path"),
    [
        ("api", "schemas/api_test_schema_v2.json"),
        ("unit", "schemas/unit_test_schema_v1.json"),
        ("integration", "schemas/integration_test_schema_v1.json"),
        ("e2e", "schemas/e2e_test_schema_v1.json"),
        ("performance", "schemas/performance_test_schema_v1.json"),
        ("smoke", None),
        ("", None),
    ],
)
def test_each_test_type_has_its_schema_and_an_unknown_one_has_none(test_type, path):
    assert select_schema(test_type, {"framework": "pytest", "target": "REST API"}) == path


@pytest.mark.parametrize("version", [1, "1", "v1", "1.0.0"])
def test_a_hint_selects_an_older_version(version):
    assert select_schema("api", {"version": version}) == "schemas/api_test_schema_v1.json"


def test_a_version_that_does_not_exist_selects_nothing():
    assert select_schema("unit", {"version": 7}) is None


@pytest.mark.feature("T-08")
def test_versions_are_told_oldest_first():
    assert versions("api") == ("1.0.0", "2.0.0")
    assert versions("smoke") == ()
    assert {test_type: versions(test_type)[-1] for test_type in known_test_types()}["unit"] == "1.0.0"


def test_a_spec_is_judged_by_the_version_it_names():
    assert schema_for_spec(OLD_SPEC, "api") == "schemas/api_test_schema_v1.json"
    assert schema_for_spec({"schema_version": "9.9.9"}, "api") == "schemas/api_test_schema_v2.json"
    assert schema_for_spec({}, "api") == "schemas/api_test_schema_v2.json"


def test_a_schema_that_is_handed_out_can_be_changed_without_harm():
    load_schema("schemas/unit_test_schema_v1.json")["properties"].clear()
    bundle("schemas/unit_test_schema_v1.json")["properties"].clear()
    assert load_schema("schemas/unit_test_schema_v1.json")["properties"]
    assert bundle("schemas/unit_test_schema_v1.json")["properties"]


def test_contracts_are_found_by_agent_and_an_unknown_one_is_an_error():
    assert contract("repo_crawler", "output") == "schemas/repo_crawler/output.json"
    with pytest.raises(UsageError, match="poet"):
        contract("poet", "output")


@pytest.mark.feature("T-08")
def test_an_older_api_spec_becomes_a_valid_newer_one_and_keeps_what_it_says():
    before = copy.deepcopy(OLD_SPEC)
    new = migrate(OLD_SPEC, "2.0.0")
    assert before == OLD_SPEC
    assert not list(validator("schemas/api_test_schema_v2.json").iter_errors(new))
    assert [case["id"] for case in new["cases"]] == ["tc_order_is_created", "tc_unknown_order"]
    first = new["cases"][0]
    assert first["act"]["request"]["body"]["content"] == {"item": "apple"}
    assert [one["kind"] for one in first["expect"]] == ["status", "header", "body_equals", "body_contains"]
    assert new["cases"][1]["expect"] == [{"kind": "status", "statuses": [404], "origin": "inferred"}]


def test_a_spec_of_the_wanted_version_stays_as_it_is():
    assert migrate(OLD_SPEC, "1.0.0") == OLD_SPEC


@pytest.mark.parametrize(("spec", "to"), [({"schema_version": "2.0.0", "test_type": "api"}, "1.0.0"), ({}, "2.0.0")])
def test_there_is_no_way_back_and_none_from_nowhere(spec, to):
    with pytest.raises(UsageError, match="cannot be brought"):
        migrate(spec, to)


@pytest.mark.feature("T-08")
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"required": ["a", "b"]}, "'b' is required now"),
        ({"properties": {"a": {"type": "integer"}}}, "type string is not allowed any more"),
        ({"properties": {"a": {"type": "string", "maxLength": 3}}}, "maxLength is 3 now"),
        ({"properties": {"a": {"type": "string", "enum": ["x"]}}}, "only some values are allowed now"),
        ({"properties": {"a": {"type": "string", "pattern": "^x"}}}, "pattern is '^x' now"),
        ({"additionalProperties": False}, "nothing is allowed here any more"),
    ],
)
def test_a_schema_that_grows_stricter_is_not_compatible(change, reason):
    old = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b": {}}}
    new = {**old, **change}
    if "additionalProperties" in change:
        new["properties"] = {"a": {"type": "string"}}
    assert any(reason in one.reason for one in compatible(old, new))


def test_a_schema_that_allows_more_is_compatible():
    old = {"type": "object", "required": ["a"], "properties": {"a": {"enum": ["x"]}}, "additionalProperties": False}
    new = {"type": "object", "properties": {"a": {"enum": ["x", "y"]}, "b": {"type": "integer"}}}
    assert compatible(old, new) == ()


def test_every_schema_is_compatible_with_itself_and_the_two_api_forms_are_not():
    for test_type in known_test_types():
        name = select_schema(test_type)
        assert name is not None
        assert compatible(bundle(name), bundle(name)) == ()
    old, new = bundle("schemas/api_test_schema_v1.json"), bundle("schemas/api_test_schema_v2.json")
    assert any("'cases' is required now" in one.reason for one in compatible(old, new))
