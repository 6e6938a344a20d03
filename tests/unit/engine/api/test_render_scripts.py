"""API specs become tests for Jest and for Playwright Test that say the same in the same words."""

import re

import pytest

from testwright.core.errors import AgentFailure
from testwright.engine.api.write.scripts.render_scripts import rendered_api_tests
from testwright.engine.rendering import render_files, unrenderable_cases

JEST = "tests/generated/api/shop.api.test.js"
PLAYWRIGHT = "tests/generated/api/shop.api.spec.ts"
CREATED = {"method": "POST", "path": "/orders", "body": {"media_type": "application/json", "content": {"sku": "A"}}}


def case(
    name="tc_create", method="POST", path="/orders", request=None, expect=(), arrange=None, title="makes an order"
):
    return {
        "id": name,
        "title": title,
        "operation": {"method": method, "path": path},
        "act": {"request": request or CREATED},
        "expect": [{"kind": "status", "statuses": [201]}, *expect],
        **({"arrange": {"requests": arrange}} if arrange else {}),
    }


def spec(*cases, framework="jest", application=None, **more):
    launch = {"import": "shop.api:app"} if application is None else application
    target = {"name": "shop", "path": "src/shop/api.py", "import_roots": ["src"], "application": launch}
    return {"test_type": "api", "framework": framework, "target": target, "cases": list(cases), **more}


def text(*cases, framework="jest", **more):
    path = JEST if framework == "jest" else PLAYWRIGHT
    return render_files(spec(*cases, framework=framework, **more), framework, path)[0].contents


def bodies(source):
    """The statements inside of tests."""
    tests = source[source.index("describe(") :]
    return re.findall(r"^ {4}(.*)$", tests, re.MULTILINE)


READ = case(
    "tc_read",
    "GET",
    "/orders/{id}",
    {"method": "GET", "path": "/orders/{id}", "path_parameters": {"id": "{{order_id}}"}},
    [{"kind": "body_equals", "value": {"sku": "A", "note": None, "paid": False}}],
    [{**CREATED, "save": {"order_id": "/id"}}],
    "returns what was made",
)


@pytest.mark.feature("T-10")
def test_both_frameworks_send_and_expect_the_same_in_the_same_words():
    cases = (case(), READ)
    assert bodies(text(*cases)) == bodies(text(*cases, framework="playwright"))


def test_a_test_reads_as_a_person_would_write_it():
    lines = bodies(text(READ))
    assert lines == [
        "const orderId = await createOrder(request);",
        "const response = await request.get(`/orders/${orderId}`);",
        "expect(response.status()).toBe(201);",
        "expect(await response.json()).toEqual({ sku: 'A', note: null, paid: false });",
    ]


@pytest.mark.parametrize(
    ("request_", "call"),
    [
        ({"path": "/items", "query": {"limit": 2}}, "request.get('/items', { params: { limit: 2 } })"),
        ({"path": "/items", "query": {"tag": ["a", "b"]}}, "request.get('/items?tag=a&tag=b')"),
        ({"path": "/items/a b"}, "request.get('/items/a%20b')"),
        ({"path": "/items", "cookies": {"seen": "1"}}, "request.get('/items', { headers: { Cookie: 'seen=1' } })"),
        ({"method": "PROPFIND", "path": "/"}, "request.fetch('/', { method: 'PROPFIND' })"),
    ],
)
def test_requests_are_calls(request_, call):
    assert f"const response = await {call};" in text(case(request={"method": "GET", **request_}))


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"media_type": "application/json", "content": "{broken", "raw": True}, "data: Buffer.from('{broken')"),
        ({"media_type": "application/json", "content": {"n": 1.0}}, "data: Buffer.from('{\"n\": 1.0}')"),
        ({"media_type": "application/x-www-form-urlencoded", "content": {"a": True}}, "form: { a: 'true' }"),
        (
            {"media_type": "multipart/form-data", "content": {"f": {"filename": "a.txt", "content": "x"}}},
            "{ name: 'a.txt', mimeType: 'application/octet-stream', buffer: Buffer.from('x') }",
        ),
    ],
)
def test_bodies_are_sent_as_they_were_observed(body, says):
    assert says in text(case(request={"method": "POST", "path": "/orders", "body": body}))


@pytest.mark.parametrize(
    ("expectation", "line"),
    [
        ({"kind": "header", "name": "ETag"}, "expect(response.headers().etag).toBeDefined();"),
        ({"kind": "body_contains", "text": "it's"}, "expect(await response.text()).toContain('it\\'s');"),
        ({"pointer": "/0/id", "operator": "equals", "value": 3}, "expect(body[0].id).toBe(3);"),
        (
            {"pointer": "/id", "operator": "has_type", "value": "integer"},
            "expect(Number.isInteger(body.id)).toBe(true);",
        ),
        (
            {"pointer": "/rows", "operator": "in_any_order", "value": [{"n": 1}]},
            "expect(body.rows.map((one) => JSON.stringify([one.n])).sort()).toEqual(",
        ),
        (
            {"pointer": "/tags", "operator": "in_any_order", "value": ["a", "a", "b"]},
            "expect([...body.tags].sort()).toEqual(['a', 'a', 'b'].sort());",
        ),
        ({"pointer": "/a b", "operator": "absent"}, "expect(body).not.toHaveProperty(['a b']);"),
        ({"pointer": "/id", "operator": "at_most", "value": 3}, "expect(body.id).toBeLessThanOrEqual(3);"),
    ],
)
def test_expectations_are_statements(expectation, line):
    assert line in bodies(text(case(expect=[{"kind": "body_value", **expectation}])))


def test_an_entity_tag_is_taken_from_the_headers_of_an_answer():
    tagged = {"method": "GET", "path": "/orders", "save": {"entity_tag": "/@headers/etag"}}
    request = {"method": "GET", "path": "/orders", "headers": {"If-None-Match": "{{entity_tag}}"}}
    source = text(case(request=request, arrange=[tagged]))
    assert "  return response.headers().etag;" in source
    assert "{ headers: { 'If-None-Match': entityTag } }" in source


def test_a_redirect_is_an_answer_and_is_not_followed():
    one = case(request={"method": "GET", "path": "/old"})
    one["expect"][0]["statuses"] = [307]
    assert "request.get('/old', { maxRedirects: 0 })" in text(one)


def test_what_fetch_cannot_send_makes_no_test_and_says_why():
    traced = case("tc_trace", request={"method": "TRACE", "path": "/"})
    assert unrenderable_cases(spec(case(), traced), "jest", JEST) == {"tc_trace": "fetch sends no TRACE"}


def test_an_application_that_nothing_starts_is_refused():
    with pytest.raises(AgentFailure, match="does not say how"):
        text(case(), application={})


def test_secrets_stand_in_no_file_and_credentials_come_from_the_environment():
    auth = {"key": {"kind": "api_key_header", "parameter": "X-Key", "variable": "SHOP_KEY"}}
    launch = {"import": "shop.api:app", "environment": {"SHOP_KEY": "test-SHOP_KEY"}}
    one = case(request={"method": "GET", "path": "/", "auth": "key"})
    source = text(one, auth=auth, application=launch)
    assert "const KEY = { 'X-Key': `${process.env.SHOP_KEY" in source
    assert "request.get('/', { headers: KEY })" in source


@pytest.mark.parametrize(
    ("framework", "hook"), [("jest", "beforeEach(async () =>"), ("playwright", "test.beforeEach(")]
)
def test_users_sign_in_before_each_test_with_passwords_of_the_session(framework, hook):
    sign_in = {
        "requests": [
            {
                "method": "POST",
                "path": "/login",
                "body": {"media_type": "application/json", "content": {"p": "{{password}}"}},
            }
        ],
        "pointer": "/token",
        "keeps": False,
    }
    auth = {"user": {"kind": "bearer", "variable": "USER", "sign_in": sign_in}}
    source = text(case(request={"method": "GET", "path": "/me", "auth": "user"}), framework=framework, auth=auth)
    assert hook in source
    assert "const USER_PASSWORD = `Aa1-${randomUUID().slice(0, 8)}`;" in source
    assert "return { Authorization: `Bearer ${(await answer.json()).token}` };" in source
    assert "request.get('/me', { headers: users.user })" in source


def test_each_test_of_jest_is_known_by_its_full_name():
    twice = (case("tc_one"), case("tc_two"))
    assert [(one.name, one.case_id) for one in rendered_api_tests(spec(*twice))] == [
        ("POST /orders makes an order", "tc_one"),
        ("POST /orders makes an order (two)", "tc_two"),
    ]


def test_the_helpers_that_a_framework_needs_lie_beside_the_tests():
    names = {
        framework: {
            one.path.rpartition("/")[2] for one in render_files(spec(case(), framework=framework), framework, path)
        }
        for framework, path in (("jest", JEST), ("playwright", PLAYWRIGHT))
    }
    shared = {"application_process.cjs", "api_serving.py"}
    assert names["jest"] == {"shop.api.test.js", "api_client.cjs", *shared}
    assert names["playwright"] == {"shop.api.spec.ts", "application.ts", "playwright.config.ts", *shared}


def test_the_project_says_which_variables_hold_and_when_a_command_is_ready():
    variables = {"SHOP_MODE": "test", "SHOP_URL": "", "SHOP_KEY": "test-shop-key"}
    source = text(case(), application={"command": ["serve"], "ready_path": "/health", "environment": variables})
    for line in ("secrets: ['SHOP_KEY'],", "taken: ['SHOP_URL'],", "alone: true,", "ready: '/health',"):
        assert line in source


def test_variables_that_take_something_of_the_shell_are_needed_where_the_tests_run():
    launch = {"import": "shop:app", "environment": {"SHOP_URL": ""}, "taken": {"SHOP_URL": "db://${SHOP_HOST}"}}
    source = text(case(), application=launch)
    assert "needed: { SHOP_URL: 'db://${SHOP_HOST}' }," in source
    assert "taken:" not in source
