"""Files of API specs: what they bind, share and name; specs by hand, nothing is run."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from testwright.engine.api.document.auth import Credential
from testwright.engine.api.model.json_values import literal
from testwright.engine.api.model.model import needs_fresh_state
from testwright.engine.api.probe.curl import curl_lines
from testwright.engine.api.write.render import render_api
from testwright.engine.rendering import unrenderable_cases
from testwright.sandbox.worker.http.api_schema import mismatches

pytestmark = [pytest.mark.feature("T-20"), pytest.mark.feature("B-04")]
PROOF = {"origin": "documented", "evidence": {"path": "src/shop.py", "lines": [1, 2]}}


def case(name: str, path: str, *, status: int = 200, before: tuple[Any, ...] = (), **more: Any) -> dict[str, Any]:
    request = {"method": "GET", "path": path, **more.pop("request", {})}
    return {
        "id": f"tc_{name}",
        "title": f"it {name}",
        "operation": {"method": request["method"], "path": path},
        "arrange": {"requests": list(before)},
        "act": {"request": request},
        "expect": [{"kind": "status", "statuses": [status], **PROOF}, *more.pop("expect", ())],
        **more,
    }


def spec(*cases: dict[str, Any], **more: Any) -> dict[str, Any]:
    target = {"name": "Shop", "application": {"import": "shop:app"}, "import_roots": ["src"]}
    return {"test_type": "api", "title": "API tests for Shop", "target": target, "cases": list(cases), **more}


def text(given: dict[str, Any], framework: str = "pytest") -> str:
    contents = render_api(given, framework, "tests/generated/api/test_shop_api.py")[0].contents
    ast.parse(contents)
    return contents


MAKE = {"method": "POST", "path": "/carts", "body": {"media_type": "application/json", "content": {"a": 1}}}
MAKE = {**MAKE, "save": {"cart_id": "/id"}}


def test_what_comes_before_becomes_a_function_that_tests_share() -> None:
    one = case("reads", "/carts/{id}", before=(MAKE,), request={"path_parameters": {"id": "{{cart_id}}"}})
    two = case("lists", "/carts", before=(MAKE,))
    made = text(spec(one, two))
    assert made.count("def create_cart(api):") == 1
    assert "cart_id = create_cart(fresh_api)\n" in made
    assert 'fresh_api.get(f"/carts/{cart_id}")' in made
    assert "    create_cart(fresh_api)\n" in made


def test_a_name_that_only_stands_in_a_text_is_not_bound() -> None:
    place = {"kind": "body_value", "pointer": "/detail", "operator": "equals", "value": "cart_id", **PROOF}
    assert "cart_id = " not in text(spec(case("reads", "/carts", before=(MAKE,), expect=[place])))


def test_like_cases_share_a_table_and_each_row_has_its_id() -> None:
    rows = [
        case(
            f"refuses_{n}",
            "/carts",
            status=422,
            category="validation",
            group="broken_query",
            request={"query": {"n": n}},
        )
        for n in (0, 9)
    ]
    made = text(spec(*rows))
    assert made.count("def test_") == 1
    assert 'pytest.param({"n": 0}, id="tc_refuses_0")' in made
    assert text(spec(*rows), "unittest").count("def test_") == 2


def test_cases_whose_rows_need_saved_values_stand_alone() -> None:
    body = {"method": "POST", "body": {"media_type": "application/json"}}
    rows = [
        case(
            f"adds_{n}",
            "/x",
            before=(MAKE,),
            group="g",
            request={**body, "body": {**body["body"], "content": {"c": "{{cart_id}}", "n": n}}},
        )
        for n in (1, 2)
    ]
    assert text(spec(*rows)).count("def test_") == 2


def test_secrets_come_from_the_environment() -> None:
    auth = {"keeper": {"kind": "api_key_header", "variable": "SHOP_KEY", "parameter": "X-Key"}}
    made = text(spec(case("opens", "/carts", request={"auth": "keeper"}), auth=auth))
    assert 'KEEPER = {"X-Key": os.environ.get("SHOP_KEY", "")}' in made
    assert "headers=KEEPER" in made


def test_cookies_of_several_kinds_share_one_header() -> None:
    auth = {
        "session": {"kind": "api_key_cookie", "variable": "SESSION", "parameter": "session"},
        "keeper": {"kind": "api_key_header", "variable": "SHOP_KEY", "parameter": "X-Key"},
    }
    request = {"auth": ["keeper", "session"], "cookies": {"theme": "dark"}}
    made = text(spec(case("opens", "/carts", request=request), auth=auth))
    assert 'headers={**KEEPER, "Cookie": "; ".join(["theme=dark", SESSION["Cookie"]])}' in made


def test_only_what_depends_on_the_state_asks_for_a_fresh_one() -> None:
    refused = case("refuses", "/carts", status=422, category="validation")
    named = {"kind": "body_equals", "value": {"detail": "no cart 3"}, **PROOF}
    assert not needs_fresh_state(refused)
    assert needs_fresh_state({**refused, "expect": [*refused["expect"], named]})
    assert needs_fresh_state(case("reads", "/carts", category="success"))


def test_a_case_that_makes_no_test_is_told() -> None:
    referring = {"kind": "body_schema", "schema_ref": "#/components/schemas/Cart", **PROOF}
    found = unrenderable_cases(
        spec(case("good", "/a"), case("bad", "/b", expect=[referring])), "pytest", "tests/test_a.py"
    )
    assert list(found) == ["tc_bad"]


@pytest.mark.parametrize(
    ("value", "source"),
    [
        ({"a": [1, None, True]}, '{"a": [1, None, True]}'),
        ("x" * 40, '"x" * 40'),
        ("{{cart_id}}", "cart_id"),
        ("/carts/{{cart_id}}", 'f"/carts/{cart_id}"'),
        ('say "hi"', '"say \\"hi\\""'),
        ("it's", '"it\'s"'),
    ],
)
def test_values_are_written_as_python(value: Any, source: str) -> None:
    assert literal(value) == source


def test_curl_lines_keep_ids_in_variables_and_secrets_out() -> None:
    token = Credential("token", "bearer", "SHOP_TOKEN", value="made-up")
    act = {"method": "GET", "path": "/carts/{id}", "path_parameters": {"id": "{{cart_id}}"}, "auth": "token"}
    first, second = curl_lines([MAKE, act], {"token": token}).splitlines()
    assert first.startswith("CART_ID=$(curl -s -X POST")
    assert '"${API_BASE_URL:-http://127.0.0.1:8000}/carts/${CART_ID}"' in second
    assert '-H "Authorization: Bearer $SHOP_TOKEN"' in second
    assert "made-up" not in first + second


NOTE = {
    "type": "object",
    "required": ["id"],
    "additionalProperties": False,
    "properties": {
        "id": {"type": "integer", "minimum": 1},
        "kind": {"enum": ["a", "b"]},
        "day": {"type": ["string", "null"], "format": "date"},
        "tags": {"type": "array", "maxItems": 2, "items": {"type": "string", "pattern": "^[a-z]+$"}},
        "next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]},
    },
}


@pytest.mark.parametrize(
    "value",
    [
        {"id": 1},
        {"id": 1, "kind": "a", "day": "2024-05-03", "tags": ["x"], "next": {"id": 2}},
        {"id": 1, "day": None, "next": None},
        {},
        {"id": 0},
        {"id": "1"},
        {"id": True},
        {"id": 1, "kind": "c"},
        {"id": 1, "tags": ["x", "y", "z"]},
        {"id": 1, "tags": ["X"]},
        {"id": 1, "next": {"id": -1}},
        {"id": 1, "other": 1},
        [],
    ],
)
def test_answers_are_judged_by_schemas_as_jsonschema_judges_them(value: Any) -> None:
    assert (mismatches(value, NOTE) == []) == Draft202012Validator(NOTE).is_valid(value)


def test_a_mismatch_names_its_place() -> None:
    assert mismatches({"id": 1, "tags": ["X"]}, NOTE) == ["$.tags[0] is 'X', outside the pattern '^[a-z]+$'"]
    assert mismatches({"id": 1, "day": "soon"}, NOTE) == ["$.day is 'soon', no date"]


def test_what_the_project_says_of_its_variables_holds_whatever_the_shell_has() -> None:
    environment = {"SHOP_DATABASE": "sqlite:///shop.db", "SHOP_TOKEN": "test-shop-token"}
    target = {"name": "Shop", "application": {"import": "shop:app", "environment": environment}}
    auth = {"token": {"kind": "bearer", "variable": "SHOP_TOKEN"}}
    made = text(spec(case("reads", "/carts", request={"auth": "token"}), target=target, auth=auth))
    assert '"SHOP_DATABASE": "sqlite:///shop.db"' in made
    assert '"SHOP_TOKEN": os.environ.get("SHOP_TOKEN") or "test-shop-token"' in made
    assert 'TOKEN = {"Authorization": "Bearer " + ENVIRONMENT["SHOP_TOKEN"]}' in made
