"""Tests for Playwright Test are verified in the sandbox, with a real Node and Chromium."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from testwright.gate.model.strictness import VerifyOptions
from testwright.gate.model.verdicts import Verification
from testwright.gate.verify.browser_scripts import verify_browser_scripts
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.mcp.js_chain import MACHINE_CACHE

pytestmark = pytest.mark.feature("T-20", "T-10")
HEAD = "import { expect, test } from '@playwright/test';\n"
HOLDS = """test('a heading is seen', { tag: '@tc_holds' }, async ({ page }) => {
  await page.setContent('<h1>Orders</h1>');
  await expect(page.getByRole('heading')).toHaveText('Orders');
});
"""
FAILS = """test('another is not', { tag: '@tc_fails' }, async ({ page }) => {
  await page.setContent('<h1>Orders</h1>');
  await expect(page.getByRole('heading')).toHaveText('Sales', { timeout: 100 });
});
"""
ZONE = """test('a zone is seen', { tag: '@tc_zone' }, async ({ page }) => {
  await page.setContent(`<h1>${process.env.TZ}</h1>`);
  await expect(page.getByRole('heading')).toHaveText('UTC', { timeout: 100 });
});
"""
IDLE = """test('nothing is proven', { tag: '@tc_idle' }, async ({ page }) => {
  await page.setContent('<h1>Orders</h1>');
  await expect(page.getByRole('heading')).toHaveText(/./);
});
"""
REFUTED = """test('nothing is proven', { tag: '@tc_idle' }, async ({ page }) => {
  await page.setContent('<h1>Orders</h1>');
  await expect(expect(page.getByRole('heading')).toHaveText(/./, { timeout: 100 })).rejects.toThrow();
});
"""
BROKEN = "import { expect, test } from '@playwright/test';\ntest('cut', async ({ page }) => {\n"


@dataclass(frozen=True)
class Verified:
    whole: Verification

    def of(self, case_id: str) -> tuple[str, str]:
        [found] = [one for one in self.whole.verdicts if one.case_id == case_id]
        return found.verdict, found.reason


@pytest.fixture(scope="module")
def verified(tmp_path_factory: pytest.TempPathFactory) -> Verified:
    async def verify() -> Verification:
        where = tmp_path_factory.mktemp("gate")
        caches = (MACHINE_CACHE / "testwright",)
        async with prepared(where, {"shop.py": "PRICE = 1\n"}, import_roots=(".",), caches=caches) as target:
            return await verify_browser_scripts(
                target,
                {"tests/e2e/shop.spec.ts": HEAD + HOLDS + FAILS + ZONE + IDLE, "tests/e2e/cut.spec.ts": BROKEN},
                refuted={"tests/e2e/refuted.shop.spec.ts": HEAD + REFUTED},
                options=VerifyOptions(repeats=1, test_seconds=60.0, wall_seconds=600.0),
            )

    return Verified(asyncio.run(verify()))


def test_what_holds_is_kept(verified):
    assert verified.of("tc_holds") == ("kept", "")


def test_what_does_not_hold_is_dropped_with_what_was_seen_and_a_picture(verified):
    verdict, reason = verified.of("tc_fails")
    assert verdict == "failed"
    assert '"Sales"' in reason
    assert [path for path in verified.whole.pictures if path.endswith(".png")]


def test_what_depends_on_its_surroundings_is_flaky(verified):
    verdict, reason = verified.of("tc_zone")
    assert (verdict, "time zone" in reason) == ("flaky", True)


def test_an_expectation_whose_opposite_holds_as_well_proves_nothing(verified):
    verdict, reason = verified.of("tc_idle")
    assert (verdict, "proves nothing" in reason) == ("failed", True)


def test_a_file_that_does_not_load_is_an_error_of_its_own(verified):
    [found] = [one for one in verified.whole.verdicts if one.path == "tests/e2e/cut.spec.ts"]
    assert (found.verdict, "does not load" in found.reason) == ("error", True)
