"""Names and sentences of generated API tests, from specs by hand."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import pytest

from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.write.render import render_api
from testwright.engine.api.write.render_groups import with_tables_in_ids
from testwright.sandbox.worker.suites.journal import case_id_of
from testwright.utils.names.case_names import cases_of_test, owned_tests, rows_of

pytestmark = [pytest.mark.feature("T-20"), pytest.mark.feature("B-04")]
ANY = {"type": "object", "additionalProperties": {"type": "integer"}}
PROOF = {"origin": "documented", "evidence": {"path": "src/shop.py", "lines": [1, 2]}}


def case(name: str, path: str, status: int = 200, operation_id: str = "", **more: Any) -> dict[str, Any]:
    request = {"method": more.pop("method", "GET"), "path": path, **more.pop("request", {})}
    operation = {"method": request["method"], "path": path, **({"operation_id": operation_id} if operation_id else {})}
    schema = more.pop("schema", None)
    fits = [{"kind": "body_schema", "schema": schema, **PROOF}] if schema is not None else []
    return {
        "id": f"tc_{name}",
        "title": f"it {name}",
        "operation": operation,
        "act": {"request": request},
        "expect": [{"kind": "status", "statuses": [status], **PROOF}, *fits],
        **more,
    }


def text(*cases: Mapping[str, Any]) -> str:
    target = {"name": "Shop", "application": {"import": "shop:app"}, "import_roots": ["src"]}
    spec = {"test_type": "api", "title": "API tests for Shop", "target": target, "cases": list(cases)}
    return render_api(spec, "pytest", "tests/generated/api/test_shop_api.py")[0].contents


def test_a_schema_is_named_by_who_answers_so_and_by_its_shape_where_several_do() -> None:
    config, visit = case("config_succeeds", "/config", schema=ANY), case("visit_succeeds", "/visit", schema=ANY)
    assert "GET_CONFIG_ANSWER = " in text(config)
    both = text(config, visit)
    assert "OBJECT_OF_INTEGER = " in both
    assert "CONFIG" not in both


def test_a_schema_of_refusals_is_an_error() -> None:
    found = [case(f"{name}_fails", f"/{name}", 404, schema=ANY) for name in ("a", "b")]
    assert "ERROR = " in text(*found)


def refusals(name: str, answer: Mapping[str, Any], status: int) -> list[dict[str, Any]]:
    equal = {"kind": "body_equals", "value": dict(answer), **PROOF}
    found = [case(f"{name}_{number}", f"/{name}", status) for number in range(4)]
    return [{**one, "expect": [*one["expect"], equal]} for one in found]


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (
            {"description": "The request has no token at all.", "error": "authorization_required"},
            "AUTHORIZATION_REQUIRED",
        ),
        ({"code": 401, "message": "Invalid credentials.", "status": "Unauthorized"}, "INVALID_CREDENTIALS"),
        ({"code": 401, "message": "A longer sentence about what went wrong here."}, "UNAUTHORIZED"),
        ({"error": "Wrong address or a wrong password, try again.", "field": "first_name"}, "UNAUTHORIZED"),
    ],
)
def test_an_answer_that_refuses_is_named_by_what_it_says_and_not_by_who_said_it_first(
    answer: dict[str, Any], name: str
) -> None:
    made = text(*refusals("store", answer, 401))
    assert f"{name} = " in made
    assert "STORE = " not in made


def test_a_status_that_no_standard_names_is_named_by_its_number() -> None:
    assert "REFUSED_419 = " in text(
        *refusals("store", {"detail": "The page has been open for too long, load it anew."}, 419)
    )


def test_a_success_is_not_named_by_a_refusal_of_its_shape() -> None:
    done = {"message": "The task has been deleted for good.", "code": "x"}
    missing = {"message": "There is no task with such a number.", "code": "y"}
    made = text(*refusals("task", done, 200), refusals("other", missing, 404)[0])
    assert "NOT_FOUND" not in made


def test_another_refusal_of_the_same_shape_is_written_out() -> None:
    invalid = {"code": 401, "message": "Invalid credentials.", "status": "Unauthorized"}
    other = {**invalid, "message": "Admin privilege required."}
    made = text(*refusals("store", invalid, 401), refusals("user", other, 401)[0])
    assert "**INVALID_CREDENTIALS" not in made
    assert "Admin privilege required." in made


def rows(operation_id: str, *words: str) -> list[dict[str, Any]]:
    more: dict[str, Any] = {"method": "POST", "operation_id": operation_id, "group": "edges_body"}
    return [
        case(
            f"{operation_id}_{word}",
            "/login",
            request={"body": {"media_type": "application/json", "content": {"a": word}}},
            **more,
        )
        for word in words
    ]


def test_a_table_is_named_after_its_operation_not_after_the_first_words_of_its_rows() -> None:
    made = text(*rows("login", "the_longest_name", "the_shortest_name"))
    assert "def test_login_takes_bodies_at_the_edge(fresh_api, body):" in made
    assert '"""POST /login takes bodies at the edge."""' in made
    assert "def test_sign_in_takes_bodies_at_the_edge(" in text(*rows("sign_in", "the_longest_name", "a_short_name"))


def test_a_table_of_which_one_row_is_left_is_a_plain_test() -> None:
    made = text(*rows("login", "the_longest_name"))
    assert "parametrize" not in made
    assert "def test_login_the_longest_name(fresh_api):" in made


def test_methods_that_paths_do_not_have_share_a_table() -> None:
    found = [
        case(f"{name}_method_{method.lower()}", f"/{name}", 405, method=method, group="methods", category="contract")
        for name, method in (("a", "PATCH"), ("b", "PUT"))
    ]
    made = text(*found)
    assert made.count("def test_") == 1
    assert "def test_paths_refuse_other_methods(api, method, path):" in made


def test_rows_of_a_table_that_splits_are_told_by_the_name_of_their_test_and_their_own() -> None:
    found = [
        case(
            f"login_takes_bodies_at_the_edge_{name}_as_{kind}",
            "/login",
            method="POST",
            operation_id="login",
            group="edges_body",
            request={"body": {"media_type": f"application/{kind}", "content": {"a": name}}},
        )
        for kind in ("json", "x-www-form-urlencoded")
        for name in ("a", "b")
    ]
    numbered = with_tables_in_ids(found)
    made = text(*numbered)
    assert "tc_" not in made
    known = {one["id"] for one in numbered}
    assert "tc_login_takes_bodies_at_the_edge_a_as_json" in known
    told = [one for test, owner in owned_tests(ast.parse(made)) for one in cases_of_test(test, owner, known)]
    assert sorted(told) == sorted(known)
    rows = {(test.name, row) for test, _ in owned_tests(ast.parse(made)) for _, row in rows_of(test)}
    assert ("test_login_takes_bodies_at_the_edge_2", "a_as_x-www-form-urlencoded") in rows
    assert {case_id_of(row, None, (None, name)) for name, row in rows} == known


@pytest.mark.parametrize(
    ("told", "summary"),
    [
        ({"summary": "Read Config"}, ""),
        ({"summary": "Read Config", "description": "What is set. And more."}, "What is set."),
        ({"summary": "All settings", "description": "What is set."}, "All settings"),
        ({"description": "What is set."}, "What is set."),
    ],
)
def test_a_summary_that_repeats_the_name_says_nothing(told: dict[str, str], summary: str) -> None:
    operation = {"operationId": "read_config_config_get", "responses": {}, **told}
    assert api_from_document({"paths": {"/config": {"get": operation}}}, path="api.py").operations[0].summary == summary
