"""Test files that drive a browser are verified like others: in the sandbox, with a real Chromium."""

from __future__ import annotations

import asyncio

import pytest

from testwright.engine.browser.write.render import CONFTEST
from testwright.gate.model.strictness import VerifyOptions
from testwright.gate.model.verdicts import Verification
from testwright.gate.verify.verify import verify_files
from testwright.tests.support.engine.targets import prepared

TESTS = """from playwright.sync_api import Page, expect


def test_a_heading_is_seen(page: Page):
    page.set_content("<h1>Orders</h1>")
    expect(page.get_by_role("heading", name="Orders", exact=True)).to_be_visible()


def test_another_is_not(page: Page):
    page.set_content("<h1>Orders</h1>")
    expect(page.get_by_role("heading", name="Sales")).to_be_visible(timeout=100)
"""


@pytest.fixture(scope="module")
def verified(tmp_path_factory: pytest.TempPathFactory) -> Verification:
    async def verify() -> Verification:
        files = {"shop.py": "PRICE = 1\n"}
        async with prepared(tmp_path_factory.mktemp("gate"), files, import_roots=(".",)) as target:
            tests = {"tests/e2e/test_shop.py": TESTS, "tests/e2e/conftest.py": CONFTEST}
            options = VerifyOptions(repeats=1, measure=("shop.py",), test_seconds=60.0, wall_seconds=600.0)
            return await verify_files(target, tests, framework="pytest", options=options)

    return asyncio.run(verify())


@pytest.mark.feature("T-20")
def test_what_holds_is_kept_and_what_does_not_is_dropped(verified):
    assert [verdict.name for verdict in verified.kept] == ["test_a_heading_is_seen[chromium]"]
    assert [verdict.name for verdict in verified.dropped] == ["test_another_is_not[chromium]"]


@pytest.mark.feature("T-20")
def test_a_failing_test_leaves_a_screenshot_and_a_trace(verified):
    kinds = sorted(path.rpartition(".")[2] for path in verified.pictures)
    assert kinds == ["png", "zip"]
    assert all("another-is-not" in path for path in verified.pictures)
    assert next(one for path, one in verified.pictures.items() if path.endswith(".png")).startswith(b"\x89PNG")
