"""The tool get_openapi_spec over real files: what it tells of sound, broken, large and several documents (T-12)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from testwright.analysis.openapi.document_rules import structure_problems
from testwright.analysis.openapi.tool_answer import LIMIT, size_of
from testwright.core.errors import ToolFailure, ToolInputError
from testwright.mcp.tool_client.tool_client import ToolClient
from testwright.mcp.toolbox.toolbox import build_toolbox
from testwright.tests.support.mcp.tool_session import make_services

pytestmark = pytest.mark.feature("T-12")
SAMPLES = Path(__file__).parents[2] / "data" / "openapi"


@pytest.fixture
def services(tmp_path):
    made = make_services(tmp_path)
    shutil.copytree(SAMPLES, made.root / "api")
    return made


async def ask(services, endpoint: str, **more: Any) -> dict[str, Any]:
    async with ToolClient(build_toolbox(services)) as client:
        return await client.call("get_openapi_spec", {"endpoint": endpoint, **more})


def places(answer: dict[str, Any]) -> set[tuple[str, str, int | None]]:
    return {(error["rule"], error["path"], error["line"]) for error in answer["errors"]}


async def test_a_document_is_told_with_its_operations(services):
    answer = await ask(services, "api/library-3.0.json")
    assert (answer["valid"], answer["errors"], answer["warnings"]) == (True, [], [])
    assert (answer["spec_version"], answer["origin"]["kind"], answer["origin"]["format"]) == ("3.0.3", "file", "json")
    summary = answer["summary"]
    assert (summary["title"], summary["version"]) == ("Library", "2.1.0")
    assert summary["servers"] == ["https://{region}.library.example/v2"]
    assert [scheme["name"] for scheme in summary["security_schemes"]] == ["key", "session"]
    told = {(operation["method"], operation["path"]): operation for operation in answer["operations"]}
    assert list(told) == [("GET", "/books"), ("POST", "/books"), ("DELETE", "/books/{isbn}")]
    books = told["GET", "/books"]
    assert [(parameter["name"], parameter["in"], parameter["required"]) for parameter in books["parameters"]] == [
        ("limit", "query", False),
        ("genre", "query", False),
    ]
    assert books["parameters"][0]["schema"] == {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}
    assert [(response["status"], response["media_types"], response["schemas"]) for response in books["responses"]] == [
        ("200", ["application/json"], ["[Book]"]),
        ("default", ["application/problem+json"], []),
    ]
    assert told["POST", "/books"]["request_body"]["schemas"] == ["Book"]
    assert [one["security"] for one in told.values()] == [[["key"]], [["key", "session"], []], []]
    assert [parameter["name"] for parameter in told["DELETE", "/books/{isbn}"]["parameters"]] == ["isbn"]


async def test_references_are_resolved_and_circles_stay_references_to_a_component(services):
    answer = await ask(services, "api/library-3.0.json")
    assert answer["document_form"] == "resolved"
    responses = answer["document"]["paths"]["/books"]["get"]["responses"]
    book = responses["200"]["content"]["application/json"]["schema"]["items"]
    assert book["properties"]["price"]["type"] == "string"
    assert book["properties"]["default"]["type"] == "string"
    assert book["properties"]["sequels"]["items"] == {"$ref": "#/components/schemas/Book"}
    assert book["example"] == {"$ref": "this is data, and no reference"}
    assert responses["default"]["description"] == "What went wrong"
    assert [one["reference"] for one in answer["circular"]] == ["#/components/schemas/Book"]


async def test_documents_of_several_files_become_one_without_problems(services):
    answer = await ask(services, "api/orders/openapi.yaml")
    assert answer["errors"] == []
    assert [document["location"] for document in answer["origin"]["documents"]] == [
        "api/orders/openapi.yaml",
        "api/orders/paths/orders.yaml",
        "api/orders/common.yaml",
    ]
    assert [operation["id"] for operation in answer["operations"]] == [
        "listOrders",
        "placeOrder",
        "readOrder",
        "cancelOrder",
    ]
    assert answer["operations"][2]["parameters"][0]["schema"] == {"type": "integer", "minimum": 1}
    assert [response["description"] for response in answer["operations"][2]["responses"]] == [
        "The order",
        "No such order",
    ]
    assert [one["reference"] for one in answer["circular"]] == ["#/components/schemas/Order"]
    assert sorted(answer["document"]["components"]["schemas"]) == ["Line", "Order", "Status"]
    assert answer["document"]["components"]["schemas"]["Status"]["enum"] == ["open", "shipped", "on", None]
    assert answer["summary"]["webhooks"] == ["orderShipped"]


async def test_swagger_is_told_as_openapi_3_that_is_valid_itself(services):
    answer = await ask(services, "api/pets-2.0.yaml")
    assert (answer["errors"], answer["converted"], answer["spec_version"]) == ([], True, "2.0")
    assert answer["summary"]["servers"] == ["https://pets.example/v1"]
    document = answer["document"]
    assert structure_problems(document, "3.0") == []
    told = {operation["id"]: operation for operation in answer["operations"]}
    assert told["listPets"]["responses"][0]["media_types"] == ["application/json", "application/xml"]
    assert told["addPet"]["request_body"] == {
        "required": True,
        "media_types": ["application/json"],
        "schemas": ["Pet"],
    }
    assert told["sendPhoto"]["request_body"]["media_types"] == ["multipart/form-data"]
    assert told["sendPhoto"]["security"] == [["oauth"]]
    tag = document["paths"]["/pets"]["get"]["parameters"][0]
    assert (tag["style"], tag["explode"], tag["schema"]["items"]) == ("form", True, {"type": "string"})
    form = document["paths"]["/pets/{id}/photo"]["put"]["requestBody"]["content"]["multipart/form-data"]["schema"]
    assert form["properties"]["file"] == {"type": "string", "format": "binary"}
    pet = document["components"]["schemas"]["Pet"]
    assert (pet["discriminator"], pet["properties"]["owner"]["nullable"]) == ({"propertyName": "kind"}, True)
    assert [one["reference"] for one in answer["circular"]] == ["#/components/schemas/Pet"]
    assert "authorizationCode" in document["components"]["securitySchemes"]["oauth"]["flows"]


async def test_all_that_is_wrong_is_told_at_once_with_paths_and_lines(services):
    answer = await ask(services, "api/broken.yaml")
    get = '$.paths["/a/{id}"].get'
    assert not answer["valid"]
    assert places(answer) == {
        ("type", "$.info.version", 4),
        ("server", "$.servers[0].url", 6),
        ("security", "$.security[0].nobody", 8),
        ("path_parameter", f"{get}.parameters", 13),
        ("path_parameter", f"{get}.parameters[0]", 14),
        ("enum", f"{get}.parameters[1].in", 15),
        ("enum", f"{get}.parameters[1].schema.type", 15),
        ("parameter", f"{get}.parameters[3]", 17),
        ("required", f'{get}.responses["200"].description', 19),
        ("unknown", f'{get}.responses["200"].descripton', 20),
        ("reference", f'{get}.responses["404"]["$ref"]', 22),
        ("path_parameter", '$.paths["/a/{id}"].post.parameters', 23),
        ("operation_id", '$.paths["/a/{id}"].post.operationId', 24),
        ("duplicate_key", '$.paths["/a/{id}"].post.responses["200"].description', 28),
        ("reference", '$.paths["/a/{id}"].post.responses["200"].content["application/json"].schema["$ref"]', 32),
        ("path", '$.paths["/a/{name}"]', 33),
        ("reference", '$.components.schemas.Loop["$ref"]', 41),
        ("reference", '$.components.schemas.Pool["$ref"]', 42),
        ("reference", '$.components.schemas.Far["$ref"]', 43),
        ("reference", '$.components.schemas.Out["$ref"]', 44),
    }
    assert {error["document"] for error in answer["errors"]} == {"api/broken.yaml"}
    messages = " ".join(error["message"] for error in answer["errors"])
    assert "addresses are not fetched for a document that is a file" in messages
    assert "leads out of the project" in messages
    assert '"qery" is not one of "query", "header", "cookie", "path"' in messages


@pytest.mark.parametrize(
    ("name", "text", "message", "line"),
    [
        ("a.yaml", "openapi: 3.1.0\ninfo: [1\n", "not YAML", 3),
        ("a.json", '{"openapi": "3.1.0",\n}', "not JSON", 2),
        ("a.yaml", "just text", "no OpenAPI document", 1),
        ("a.json", "[]", "no OpenAPI document", 1),
        ("a.yaml", "openapi: 4.0.0\n", "'4.0.0' is not known", 1),
        ("a.yaml", "", "empty", 1),
        ("a.json", '{"openapi": NaN}', "NaN is not JSON", None),
        ("a.yaml", "a: &a [*a]\n", "contains itself", 1),
    ],
)
async def test_what_is_no_document_is_told_as_an_error_of_it(services, name, text, message, line):
    (services.root / name).write_text(text)
    answer = await ask(services, name)
    assert (answer["valid"], answer["operations"], answer["document"]) == (False, [], None)
    assert message in answer["errors"][0]["message"]
    assert answer["errors"][0]["line"] == line


@pytest.mark.parametrize(
    ("endpoint", "ids"),
    [
        ("GET /orders/{id}", ["readOrder"]),
        ("/orders/17", ["readOrder", "cancelOrder"]),
        ("delete /api/orders/17?now=1", ["cancelOrder"]),
        ("/orders", ["listOrders", "placeOrder"]),
        ("/nothing", []),
        (".", ["listOrders", "placeOrder", "readOrder", "cancelOrder"]),
    ],
)
async def test_an_operation_is_looked_up_in_the_projects_own_document(tmp_path, endpoint, ids):
    services = make_services(tmp_path)
    shutil.copytree(SAMPLES / "orders", services.root / "docs")
    answer = await ask(services, endpoint)
    assert [operation["id"] for operation in answer["operations"]] == ids
    assert answer["origin"]["location"] == "docs/openapi.yaml"
    assert bool(answer["part"]) == (len(ids) == 1)


async def test_a_part_comes_with_its_references_resolved(services):
    answer = await ask(services, "api/orders/openapi.yaml", pointer="/paths/~1orders~1{id}/get/responses/200")
    schema = answer["part"]["value"]["content"]["application/json"]["schema"]
    assert schema["properties"]["lines"]["items"]["properties"]["quantity"] == {
        "type": "integer",
        "exclusiveMinimum": 0,
    }
    assert schema["properties"]["replaces"] == {"$ref": "#/components/schemas/Order"}
    assert (answer["part"]["complete"], answer["part"]["circular"]) == (True, ["#/components/schemas/Order"])
    nothing = await ask(services, "api/orders/openapi.yaml", pointer="/paths/~1nothing")
    assert (nothing["part"]["found"], nothing["part"]["value"]) == (False, None)


def large_document(operations: int) -> dict[str, Any]:
    """Every schema refers to two others, so that resolving all of them would never fit anywhere."""
    schemas = {
        f"Model{number}": {
            "type": "object",
            "description": "What it is. " * 20,
            "properties": {
                "left": {"$ref": f"#/components/schemas/Model{min(number + 1, operations - 1)}"},
                "right": {"$ref": f"#/components/schemas/Model{min(number + 2, operations - 1)}"},
            },
        }
        for number in range(operations)
    }
    schemas[f"Model{operations - 1}"]["properties"] = {}
    paths = {
        f"/things{number}/{{id}}": {
            "get": {
                "operationId": f"read{number}",
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
                "responses": {
                    "200": {
                        "description": "Found",
                        "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/Model{number}"}}},
                    }
                },
            }
        }
        for number in range(operations)
    }
    return {
        "openapi": "3.0.3",
        "info": {"title": "Large", "version": "1"},
        "paths": paths,
        "components": {"schemas": schemas},
    }


async def test_a_large_document_comes_in_pages_and_parts_that_stay_small(services):
    (services.root / "large.json").write_text(json.dumps(large_document(500)))
    told: list[str] = []
    offset: int | None = 0
    while offset is not None:
        answer = await ask(services, "large.json", offset=offset)
        assert size_of(answer) <= LIMIT
        assert (answer["valid"], answer["page"]["total"], answer["document"]) == (True, 500, None)
        told += [operation["id"] for operation in answer["operations"]]
        offset = answer["page"]["next_offset"]
    assert told == [f"read{number}" for number in range(500)]
    part = await ask(services, "large.json", operation="read7")
    assert size_of(part) <= LIMIT
    assert part["part"]["value"]["responses"]["200"]["description"] == "Found"
    assert (part["part"]["complete"], bool(part["part"]["unresolved"])) == (False, True)
    outline = await ask(services, "large.json", pointer="/components/schemas")
    assert size_of(outline) <= LIMIT
    assert outline["part"]["value"] is None
    assert outline["part"]["entries"][0]["pointer"] == "/components/schemas/Model0"


async def test_a_file_is_read_anew_only_when_it_or_one_it_refers_to_has_changed(services):
    async with ToolClient(build_toolbox(services)) as client:
        for _ in range(2):
            await client.call("get_openapi_spec", {"endpoint": "api/orders/openapi.yaml"})
        common = services.root / "api/orders/common.yaml"
        common.write_text(common.read_text().replace("minimum: 1", "minimum: 5"))
        changed = await client.call("get_openapi_spec", {"endpoint": "api/orders/openapi.yaml"})
        assert [call.cached for call in client.calls()] == [False, True, False]
    assert changed["operations"][2]["parameters"][0]["schema"]["minimum"] == 5


async def test_what_lies_outside_or_does_not_exist_is_refused_with_advice(services, tmp_path):
    (tmp_path / "outside.yaml").write_text("openapi: 3.1.0\n")
    (services.root / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    for endpoint in ("../outside.yaml", "link.yaml"):
        with pytest.raises(ToolFailure, match="out of the folder"):
            await ask(services, endpoint)
    with pytest.raises(ToolFailure, match=r"no file 'nothing\.yaml'") as missing:
        await ask(services, "nothing.yaml")
    assert "api/orders/openapi.yaml" in missing.value.advice
    with pytest.raises(ToolInputError):
        await ask(services, "")


async def test_a_project_without_a_document_says_what_can_be_given(tmp_path):
    with pytest.raises(ToolFailure, match="no OpenAPI document") as none:
        await ask(make_services(tmp_path), "GET /orders")
    assert "http://127.0.0.1:8000" in none.value.advice
