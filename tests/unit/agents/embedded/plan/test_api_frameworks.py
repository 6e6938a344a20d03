"""API tests are planned for Jest and for Playwright Test where a request or an option names one."""

import pytest

from testwright.agents.embedded.plan.planner_agent import EmbeddedPlannerAgent
from testwright.core.errors import RequestError


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    made = tmp_path_factory.mktemp("shop")
    (made / "shop.py").write_text("from fastapi import FastAPI\n\napp = FastAPI()\n")
    return made


def planned(root, request, **more):
    return EmbeddedPlannerAgent().plan({"user_request": request, "root": str(root), **more})


@pytest.mark.parametrize(
    ("request_", "more", "framework", "test_path"),
    [
        ("API tests with jest", {}, "jest", "tests/generated/api/shop.api.test.js"),
        ("API tests", {"framework": "jest"}, "jest", "tests/generated/api/shop.api.test.js"),
        ("jest tests of shop", {"test_type": "api"}, "jest", "tests/generated/api/shop.api.test.js"),
        ("API tests of shop, using Playwright", {}, "playwright", "tests/generated/api/shop.api.spec.ts"),
        ("API tests", {"framework": "playwright"}, "playwright", "tests/generated/api/shop.api.spec.ts"),
        ("API tests in TypeScript", {}, "playwright", "tests/generated/api/shop.api.spec.ts"),
        ("API tests", {}, "pytest", "tests/generated/api/test_shop_api.py"),
    ],
)
def test_api_tests_are_written_for_the_framework_that_is_named(root, request_, more, framework, test_path):
    [step] = [one for one in planned(root, request_, **more)["steps"] if one["type"] == "generate_api_tests"]
    assert (step["params"]["framework"], step["params"]["test_path"]) == (framework, test_path)


def test_a_named_framework_asks_for_no_browser_tests(root):
    kinds = {step["type"] for step in planned(root, "API tests with Playwright")["steps"]}
    assert kinds == {"generate_api_tests", "verify_suite", "accept_tests"}


def test_unit_and_api_tests_with_jest_are_two_requests(root):
    with pytest.raises(RequestError, match="in a run of their own"):
        planned(root, "unit tests and API tests with jest")


def test_the_projects_own_jest_decides_the_folder(tmp_path):
    (tmp_path / "shop.py").write_text("from fastapi import FastAPI\n\napp = FastAPI()\n")
    (tmp_path / "package.json").write_text('{"jest": {"roots": ["<rootDir>/checks"]}}')
    [step, *_] = planned(tmp_path, "API tests with jest")["steps"]
    assert step["params"]["test_path"] == "checks/generated/api/shop.api.test.js"
