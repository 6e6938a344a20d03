"""Operations, schemas and values are read from documents; what is broken in one is left out."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.core.errors import ProjectError
from testwright.engine.api.document.auth import candidate_credentials, credential_name, is_secret
from testwright.engine.api.document.operations import api_from_document, named_operations, singular, snake_case
from testwright.engine.api.document.schemas import normalize_schema, standalone_schema
from testwright.engine.api.model.model import Api
from testwright.engine.api.probe.resource_model import resource_of
from testwright.engine.api.values.data import NOTHING, SampleValues, json_examples
from testwright.engine.api.values.negative_requests import body_variants, broken_values, edge_values
from testwright.tests.support.projects.small_api import DOCUMENT
from testwright.utils.regex_examples import fits, matching, not_matching

pytestmark = pytest.mark.feature("T-20")


def read(document: dict[str, Any], **more: Any) -> Api:
    return api_from_document(document, path="openapi.json", **more)


def samples(**components: Any) -> SampleValues:
    return SampleValues({name: normalize_schema(component) for name, component in components.items()})


def test_operations_have_names_parameters_bodies_answers_and_security() -> None:
    api = read(DOCUMENT)
    assert [operation.name for operation in api.operations] == ["list_notes", "create_note", "read_note", "delete_note"]
    delete = api.operations[3]
    assert delete.security == (("Token",),)
    assert [parameter.name for parameter in delete.path_parameters] == ["id"]
    assert api.operations[1].documents(422)
    assert not api.operations[1].documents(500)


def test_names_of_frameworks_lose_their_path_and_method() -> None:
    document = {"paths": {"/carts/{number}": {"get": {"operationId": "read_cart_carts__number__get"}}}}
    assert read(document).operations[0].name == "read_cart"


@pytest.mark.parametrize(
    ("text", "words"), [("listPets", "list_pets"), ("APIKeyHeader", "api_key_header"), ("a-b c", "a_b_c")]
)
def test_names_become_snake_case(text: str, words: str) -> None:
    assert snake_case(text) == words


def test_five_hundred_operations_are_bounded_by_whole_resources_and_the_rest_is_said() -> None:
    paths = {f"/things{n}{tail}": {"get": {}, "post": {}} for n in range(125) for tail in ("", "/{id}")}
    api = read({"paths": paths}, most=60)
    assert len(api.operations) == 60
    assert len(api.left_out) == 440
    assert "500 operations" in api.left_out[0][1]
    assert {"/things0", "/things0/{id}"} <= {operation.path for operation in api.operations}


def test_broken_and_circular_references_do_no_harm() -> None:
    tree = {"type": "object", "required": ["child"], "properties": {"child": {"$ref": "#/components/schemas/Tree"}}}
    loop = {"$ref": "#/components/schemas/Loop"}
    document = {
        "paths": {
            "/a": {"$ref": "#/components/pathItems/Gone"},
            "/b": {"post": {"requestBody": {"$ref": "#/components/requestBodies/Gone"}, "responses": "nonsense"}},
            "/c": {"post": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/nowhere"}}}}}},
        },
        "components": {"schemas": {"Tree": tree, "Loop": loop}},
    }
    api = read(document)
    assert [operation.label for operation in api.operations] == ["POST /b", "POST /c"]
    made = SampleValues(api.components)
    assert made.value({"$ref": "#/components/schemas/Tree"}) is NOTHING
    assert made.value({"$ref": "#/components/schemas/Loop"}) is not None
    assert standalone_schema({"$ref": "#/components/schemas/Tree"}, api.components)["$defs"]["Tree"]["required"] == [
        "child"
    ]


def test_openapi_3_0_schemas_are_read_as_json_schema() -> None:
    old = {"type": "integer", "nullable": True, "minimum": 3, "exclusiveMinimum": True, "example": 4, "x-a": 1}
    assert normalize_schema(old) == {"type": ["integer", "null"], "exclusiveMinimum": 3, "examples": [4]}


@pytest.mark.parametrize(
    ("schema", "name", "value"),
    [
        ({"type": "string", "examples": ["tea"]}, "article", "tea"),
        ({"type": "string", "enum": ["red", "blue"]}, "colour", "red"),
        ({"type": "integer", "minimum": 5}, "count", 5),
        ({"type": "integer", "maximum": -3}, "count", -3),
        ({"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5}, "weight", 1),
        ({"type": "string", "format": "email"}, "address", "ada@example.com"),
        ({"type": "string", "maxLength": 3}, "comment", "com"),
        ({"type": "string", "minLength": 10}, "note", "notexxxxxx"),
        ({"type": "string", "pattern": "^[A-Z]{2}-\\d{4}$"}, "code", "AA-1111"),
        ({"type": "array", "minItems": 2, "items": {"type": "boolean"}}, "flags", [True, True]),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "age", 1),
        ({"allOf": [{"required": ["a"]}, {"properties": {"a": {"const": 7}}}]}, "both", {"a": 7}),
    ],
)
def test_values_are_the_plainest_that_fit(schema: Any, name: str, value: Any) -> None:
    assert samples().value(schema, name) == value


def test_an_example_that_does_not_fit_its_own_schema_is_not_used() -> None:
    assert samples().value({"type": "integer", "examples": ["many"]}, "count") == 1


@pytest.mark.parametrize("pattern", [r"^\d+$", r"^[a-z][a-z0-9-]*$", r"^(ab|cd)+$", r"[^@]+@[^@]+\.com", r"^\w{3,5}$"])
def test_texts_for_patterns_fit_and_misfits_do_not(pattern: str) -> None:
    good, bad = matching(pattern, shortest=1), not_matching(pattern)
    assert good is not None
    assert fits(pattern, good)
    assert bad is None or not fits(pattern, bad)


def test_a_pattern_that_python_does_not_read_gets_no_text() -> None:
    assert matching("(?<broken") is None
    assert not_matching("(?<broken") is None


def test_each_constraint_is_broken_once() -> None:
    schema = {
        "type": "object",
        "required": ["code", "count"],
        "additionalProperties": False,
        "properties": {
            "code": {"type": "string", "minLength": 2, "maxLength": 4, "pattern": "^[A-Z]+$"},
            "count": {"type": "integer", "minimum": 1, "maximum": 9},
            "kind": {"enum": ["a", "b"]},
            "day": {"type": "string", "format": "date"},
        },
    }
    made = samples()
    found = list(body_variants(schema, made.value(schema), made))
    kinds = {(one.kind, one.place[-1]) for one in found if not one.kind.startswith("edge_")}
    assert {
        ("missing", "code"),
        ("type", "code"),
        ("null", "code"),
        ("min_length", "code"),
        ("max_length", "code"),
        ("pattern", "code"),
        ("minimum", "count"),
        ("maximum", "count"),
        ("enum", "kind"),
        ("format", "day"),
        ("extra", "unexpected"),
    } <= kinds
    for one in found:
        right = made.problem(one.value, schema) is None
        assert right == one.kind.startswith("edge_") or one.kind == "format"


def test_parts_of_an_address_are_only_broken_as_texts() -> None:
    made = samples()
    assert [value.kind for value in broken_values({"type": "string"}, made, "name", as_text=True)] == []
    assert [value.value for value in broken_values({"type": "integer"}, made, "n", as_text=True)] == ["not-a-number"]
    assert [value.value for value in edge_values({"type": "integer", "minimum": 2, "maximum": 9}, made, "n")] == [9]


def test_environment_variables_are_offered_to_the_schemes_they_sound_like() -> None:
    schemes = {
        "ApiKey": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "Login": {"type": "http", "scheme": "bearer"},
    }
    api = Api("t", (), schemes, {})
    offered = candidate_credentials(api, ["SHOP_BEARER_TOKEN", "SHOP_API_KEY"])
    assert offered["ApiKey"][0].variable == "SHOP_API_KEY"
    assert offered["Login"][0].variable == "SHOP_BEARER_TOKEN"
    assert credential_name("OAuth2PasswordBearer").isidentifier()
    assert not is_secret("DATABASE_HOST")


@pytest.mark.parametrize(
    ("word", "one"),
    [("categories", "category"), ("movies", "movie"), ("boxes", "box"), ("carts", "cart"), ("status", "status")],
)
def test_resources_are_named_in_the_singular(word: str, one: str) -> None:
    assert singular(word) == one
    assert resource_of(f"/v1/{word}/") == one


def test_sizes_of_objects_and_lists_are_broken_by_what_is_valid_otherwise() -> None:
    sizes = {"type": "object", "minProperties": 2, "maxProperties": 3, "additionalProperties": {"type": "integer"}}
    tags = {"type": "array", "minItems": 1, "maxItems": 2, "uniqueItems": True, "items": {"type": "string"}}
    schema = normalize_schema(
        {"type": "object", "required": ["sizes", "tags"], "properties": {"sizes": sizes, "tags": tags}}
    )
    made = samples()
    body = made.value(schema, "body")
    found = {variant.kind: variant.value for variant in body_variants(schema, body, made)}
    assert body == {"sizes": {"key_1": 1, "key_2": 1}, "tags": ["tag"]}
    assert found["min_properties"]["sizes"] == {"key_1": 1}
    assert len(found["max_properties"]["sizes"]) == 4
    assert found["min_items"]["tags"] == []
    assert found["max_items"]["tags"] == ["tag", "tag2", "tag3"]
    assert found["unique_items"]["tags"] == ["tag", "tag"]
    assert found["edge_max_items"]["tags"] == ["tag", "tag2"]


def test_items_of_a_list_in_a_query_are_broken() -> None:
    schema = normalize_schema({"type": "array", "items": {"type": "integer", "minimum": 1}})
    assert [value.value for value in broken_values(schema, samples(), "ids", as_text=True)] == [["not-a-number"], [0]]


def test_an_example_of_the_settings_comes_first_where_it_fits() -> None:
    values = SampleValues(
        {}, json_examples({"sku": "'tea-001'", "count": "0", "day": "date(2024, 5, 3)", "m:f": "f(1)"})
    )
    order = {
        "type": "object",
        "required": ["sku", "count"],
        "properties": {"sku": {"type": "string"}, "count": {"type": "integer", "minimum": 1}},
    }
    assert values.value(order) == {"sku": "tea-001", "count": 1}
    assert values.unfit() == {"count": "0 is less than the minimum of 1"}


def test_endpoints_are_named_by_method_and_path_by_a_path_or_by_a_word_of_it() -> None:
    api = read(DOCUMENT)
    names = {operation.label: operation.name for operation in api.operations}
    assert named_operations(api, ["POST /notes"]) == {names["POST /notes"]}
    assert named_operations(api, ["GET /notes/{other}"]) <= set(names.values())
    assert named_operations(api, ["note"]) == named_operations(api, ["/notes"]) == frozenset(names.values())
    with pytest.raises(ProjectError, match="no operation GET /orders"):
        named_operations(api, ["GET /orders"])
    assert named_operations(api, ["POST notes"]) == {names["POST /notes"]}
    for nothing in ("", " ", "s"):
        with pytest.raises(ProjectError):
            named_operations(api, [nothing])
