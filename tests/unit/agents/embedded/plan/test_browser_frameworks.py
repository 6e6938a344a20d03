"""What browser tests are written for, from the words of a request and its options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from testwright.agents.embedded.plan.planner_agent import EmbeddedPlannerAgent
from testwright.core.errors import RequestError
from testwright.graph.planning_graph.generate_step import initial_step_state
from testwright.tests.support.projects.files import make_project
from testwright.tests.support.projects.guest_book import PAGES

pytestmark = pytest.mark.feature("T-02", "T-20")
USUAL = "tests/generated/e2e/test_public_pages_browser.py"
SPEC_FILE = "tests/generated/e2e/public_pages.spec.ts"
FLOWS = ".maestro/generated/public_pages.yaml"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_project(tmp_path / "bakery", {**PAGES, "till.py": "def pay():\n    return 1\n"})


def planned(root: Path, request: str, **more: Any) -> dict[str, Any]:
    return EmbeddedPlannerAgent().plan({"user_request": request, "root": str(root), "strict": True, **more})


@pytest.mark.parametrize(
    ("request_", "framework", "test_path"),
    [
        ("browser tests of public", "pytest", USUAL),
        ("browser tests of public with pytest-playwright", "pytest", USUAL),
        ("browser tests of public with pytest and playwright", "pytest", USUAL),
        ("browser tests of public in Python with playwright", "pytest", USUAL),
        ("playwright tests of public in Python", "pytest", USUAL),
        ("playwright tests of public", "playwright", SPEC_FILE),
        ("end-to-end tests of public in TypeScript with Playwright", "playwright", SPEC_FILE),
        ("e2e tests of public in TypeScript", "playwright", SPEC_FILE),
        ("write @playwright/test tests for public", "playwright", SPEC_FILE),
        ("maestro flows for public", "maestro", FLOWS),
    ],
)
def test_the_words_say_the_framework(root, request_, framework, test_path):
    step = planned(root, request_)["steps"][0]
    assert (step["type"], step["params"]["framework"]) == ("generate_e2e_tests", framework)
    assert step["params"]["test_path"] == test_path


def test_each_kind_of_tests_has_the_framework_that_is_named_with_it(root):
    plan = planned(root, "unit tests for till with pytest and browser tests of public with playwright")
    found = {step["type"]: step["params"]["framework"] for step in plan["steps"] if "generate" in step["type"]}
    assert found == {"generate_unit_tests": "pytest", "generate_e2e_tests": "playwright"}


@pytest.mark.parametrize("request_", ["browser tests of public", ""])
def test_the_option_says_it_too(root, request_):
    step = planned(root, request_, framework="playwright")["steps"][0]
    assert (step["params"]["test_type"], step["params"]["framework"]) == ("e2e", "playwright")


@pytest.mark.parametrize(
    ("request_", "option", "says"),
    [
        ("unit tests with playwright", None, "unit tests are not"),
        ("unit tests", "maestro", "unit tests are not"),
        ("unit tests in TypeScript", None, "name one"),
        ("playwright and maestro tests of public", None, "another run for maestro"),
        ("browser tests of public with pytest, in TypeScript", None, "another run for pytest"),
    ],
)
def test_what_a_framework_is_not_for_is_refused(root, request_, option, says):
    with pytest.raises(RequestError) as refused:
        planned(root, request_, framework=option)
    assert says in f"{refused.value.message} {refused.value.advice}"


@pytest.mark.parametrize(
    ("said", "test_path"),
    [
        ("testDir: './e2e',", "e2e/generated/public_pages.spec.ts"),
        ("testDir: 'tests',", SPEC_FILE),
        ("// testDir: 'old',\n  testDir: `./e2e`,", "e2e/generated/public_pages.spec.ts"),
        ("/* testDir: 'old', */ use: { baseURL: 'http://127.0.0.1' },", SPEC_FILE),
        ("use: {},", SPEC_FILE),
    ],
)
def test_tests_go_where_the_projects_own_configuration_looks_for_them(root, said, test_path):
    (root / "playwright.config.ts").write_text(f"export default {{ {said} }};\n")
    assert planned(root, "playwright tests of public")["steps"][0]["params"]["test_path"] == test_path


@pytest.mark.parametrize(
    ("path", "text", "says"),
    [
        ("package.json", '{"jest": {}}', 'testPathIgnorePatterns: ["/node_modules/", "/tests/generated/e2e/"]'),
        ("package.json", '{"devDependencies": {"vitest": "^3.0.0"}}', "'tests/generated/e2e/**'"),
        ("playwright.config.ts", "export default { testMatch: '**/*.e2e.ts' };", "by testMatch"),
        ("playwright.config.ts", "export default { projects: [{ name: 'firefox' }] };", "judged in Chromium"),
    ],
)
def test_a_runner_that_would_take_or_skip_the_file_is_told_with_what_to_do(root, path, text, says):
    (root / path).write_text(text)
    assert any(says in line for line in planned(root, "playwright tests of public")["understood"])


def test_a_jest_that_does_not_take_the_file_needs_no_line(root):
    (root / "package.json").write_text('{"jest": {"roots": ["<rootDir>/src"]}}')
    assert not any("Jest" in line for line in planned(root, "playwright tests of public")["understood"])


def test_flows_for_maestro_are_neither_run_nor_added_and_the_plan_says_why(root):
    plan = planned(root, "maestro flows for public")
    [step] = plan["steps"]
    assert "not run" in step["params"]["not_run"]
    assert step["params"]["not_run"] in plan["understood"]
    whole: Any = {"user_request": "", "run": True, "analyze": True, "max_retries": 3, "plan": []}
    pending: Any = {**step, "status": "pending", "result": None, "error_message": None}
    state = initial_step_state(pending, whole)
    assert (state["run"], state["warnings"]) == (False, [step["params"]["not_run"]])


def test_a_site_that_runs_already_is_planned_where_the_option_names_it(root):
    inputs = {"user_request": "browser tests of the site", "root": str(root), "strict": True}
    plan = EmbeddedPlannerAgent(url="http://127.0.0.1:8000").plan(inputs)
    assert plan["steps"][0]["params"]["target"] == {"application": {"url": "http://127.0.0.1:8000"}}
    assert any("nothing puts back" in said for said in plan["understood"])


def test_an_address_in_a_request_is_told_the_option(root):
    with pytest.raises(RequestError) as refused:
        planned(root, "browser tests of http://127.0.0.1:8000")
    assert "--app-url" in f"{refused.value.message} {refused.value.advice} {refused.value.details}"


ORDERS = {
    "orders.py": "def place(pieces: int) -> int:\n    return pieces\n",
    "api.py": "from fastapi import FastAPI\n\nimport orders\n\napp = FastAPI()\n\n\n"
    "@app.get('/orders')\ndef listed() -> int:\n    return orders.place(1)\n",
}


@pytest.mark.parametrize(
    ("request_", "kinds"),
    [
        ("test the orders service: API and load, then the checkout flow in the browser", ["api", "performance", "e2e"]),
        ("API and load tests of orders, then browser tests", ["api", "performance", "e2e"]),
        ("load tests for the API", ["performance"]),
        ("browser tests of the checkout flow", ["e2e"]),
        ("test the checkout in the browser", ["e2e"]),
    ],
)
def test_kinds_in_everyday_words_become_steps_in_the_order_said_with_one_lookup_of_context(tmp_path, request_, kinds):
    root = make_project(tmp_path / "shop", {**PAGES, **ORDERS})
    plan = planned(root, request_)
    steps = [step["type"] for step in plan["steps"]]
    assert steps[-2 - len(kinds) : -2] == [f"generate_{kind}_tests" for kind in kinds]
    assert (steps[0] == "retrieve_context") is (len(kinds) > 1)
    assert plan["not_understood"] == []


@pytest.mark.parametrize("request_", ["browser tests of nowhere", "browser tests of the ordrs flow"])
def test_words_that_may_be_meant_for_code_are_no_flow_of_a_site(tmp_path, request_):
    root = make_project(tmp_path / "shop", {**PAGES, **ORDERS})
    with pytest.raises(RequestError):
        planned(root, request_)


def test_load_beside_no_kind_of_tests_is_what_code_does(root):
    plan = EmbeddedPlannerAgent().plan({"user_request": "unit tests for pay and load", "root": str(root)})
    assert [row["text"] for row in plan["not_understood"]] == ["load"]
