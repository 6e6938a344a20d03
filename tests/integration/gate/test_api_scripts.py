"""API tests for Jest and Playwright Test are verified in the sandbox: real Node, a real application on another day."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Mapping
from typing import Any

import pytest

from testwright.engine.api.write.scripts.render_scripts import rendered_api_tests
from testwright.engine.rendering import render_files
from testwright.gate.model.strictness import VerifyOptions
from testwright.gate.model.verdicts import CaseVerdict, Verification
from testwright.gate.verify.browser_scripts import verify_browser_scripts
from testwright.gate.verify.scripts import verify_scripts
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.mcp.js_chain import MACHINE_CACHE

pytestmark = pytest.mark.feature("T-10")
APPLICATION = """import datetime
import json

orders = []


def app(environ, start_response):
    if environ["REQUEST_METHOD"] == "POST":
        orders.append(json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))))
    if environ["PATH_INFO"] == "/year":
        answer = {"year": datetime.date.today().year}
    else:
        answer = {"count": len(orders)}
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(answer).encode()]
"""
ORDER = {"method": "POST", "path": "/orders", "body": {"media_type": "application/json", "content": {"sku": "A"}}}
PATHS = {"jest": "tests/generated/api/shop.api.test.js", "playwright": "tests/generated/api/shop.api.spec.ts"}


def _case(name: str, path: str, value: Any, setup: tuple[Any, ...] = (), origin: str = "observed") -> dict[str, Any]:
    schema = {"type": "object", "additionalProperties": {"type": "integer"}}
    return {
        "id": "tc_" + name.replace(" ", "_"),
        "title": name,
        "operation": {"method": "GET", "path": path},
        "arrange": {"requests": list(setup)},
        "act": {"request": {"method": "GET", "path": path}},
        "expect": [
            {"kind": "status", "statuses": [200], "origin": "observed"},
            {"kind": "body_schema", "schema": schema, "origin": "observed"},
            {"kind": "body_equals", "value": value, "origin": origin},
        ],
    }


SPEC = {
    "test_type": "api",
    "target": {"name": "shop", "path": "shop.py", "import_roots": ["."], "application": {"import": "shop:app"}},
    "cases": [
        _case("adds", "/orders", {"count": 1}, (ORDER,)),
        _case("begins empty", "/orders", {"count": 0}),
        _case("tells the year", "/year", {"year": datetime.datetime.now(datetime.UTC).year}),
        _case("is documented otherwise", "/orders", {"count": 7}, origin="documented"),
    ],
}


async def _verify(framework: str, where: Any) -> Verification:
    files: Mapping[str, str] = {one.path: one.contents for one in render_files(SPEC, framework, PATHS[framework])}
    options = VerifyOptions(repeats=2, measure=("shop.py",), test_seconds=60.0, wall_seconds=600.0)
    documented = frozenset({"tc_is_documented_otherwise"})
    caches = (MACHINE_CACHE / "testwright",)
    async with prepared(where, {"shop.py": APPLICATION}, import_roots=(".",), caches=caches) as target:
        if framework == "playwright":
            return await verify_browser_scripts(
                target, files, refuted={}, documented=documented, browser=False, options=options
            )
        cases = {(PATHS["jest"], one.name): one.case_id for one in rendered_api_tests(SPEC)}
        return await verify_scripts(
            target, files, measured=("shop.py",), cases=cases, documented=documented, options=options, served=True
        )


@pytest.fixture(scope="module", params=["jest", "playwright"])
def verified(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Verification:
    return asyncio.run(_verify(request.param, tmp_path_factory.mktemp("shop")))


def _of(verified: Verification, name: str) -> CaseVerdict:
    [found] = [one for one in verified.verdicts if one.name.endswith(name)]
    return found


@pytest.mark.parametrize("name", ["adds", "begins empty"])
def test_each_test_finds_the_application_as_it_is_after_its_start(verified, name):
    assert _of(verified, name).verdict == "kept", _of(verified, name).reason


def test_what_depends_on_the_day_of_the_application_is_flaky(verified):
    found = _of(verified, "tells the year")
    assert (found.verdict, "another day" in found.reason) == ("flaky", True)


def test_what_contradicts_the_documentation_is_a_defect_of_the_product(verified):
    found = _of(verified, "is documented otherwise")
    assert (found.verdict, found.failure_class) == ("failed", "product_defect")


def test_what_each_test_ran_of_the_application_is_known(verified):
    measured = verified.coverage.files["shop.py"]
    assert 9 in measured.executed
    adds, begins = (measured.by_test[_of(verified, name).nodeid].lines for name in ("adds", "begins empty"))
    assert adds - begins == {9}
