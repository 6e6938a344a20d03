"""Rules for tests in JavaScript and TypeScript (T-10): what is wrong is found, what people write is left alone."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from testwright.analysis.javascript.checks import JavaScriptChecks
from testwright.analysis.test_checks.javascript_file import script_issues, script_name_issues
from testwright.tests.support.mcp.js_chain import issues_of, rules_of, use_machine_cache

HEAD = "import { half } from '../src/half';\n"
BAD_JEST = {
    "asserts nothing": ("test('a', () => { half(2); });", "testwright/assertions"),
    "prints only": ("test('a', () => { console.log(half(2)); });", "testwright/assertions"),
    "asserts in a branch": ("test('a', () => { if (half(2)) { expect(half(2)).toBe(1); } });", "testwright/assertions"),
    "asserts in a handler": (
        "test('a', () => { try { half(3); } catch (error) { expect(error).toBeTruthy(); } });",
        "testwright/assertions",
    ),
    "asserts what is always true": ("test('a', () => { half(2); expect(true).toBe(true); });", "testwright/tautology"),
    "compares a thing with itself": (
        "test('a', () => { const x = half(2); expect(x).toEqual(x); });",
        "testwright/tautology",
    ),
    "never touches the subject": ("test('a', () => { const x = 1 + 1; expect(x).toBe(2); });", "testwright/subject"),
    "has no matcher": ("test('a', () => { expect(half(2)); });", "jest/valid-expect"),
    "does not await": ("test('a', () => { expect(half.load()).resolves.toBe(1); });", "jest/valid-expect"),
    "is the only one": ("test.only('a', () => { expect(half(2)).toBe(1); });", "jest/no-focused-tests"),
    "is skipped": ("test.skip('a', () => { expect(half(2)).toBe(1); });", "jest/no-disabled-tests"),
    "is skipped by x": ("xit('a', () => { expect(half(2)).toBe(1); });", "jest/no-disabled-tests"),
    "is to fail": ("test.failing('a', () => { expect(half(2)).toBe(3); });", "testwright/expected-failure"),
    "has a title twice": (
        "test('a', () => { expect(half(2)).toBe(1); });\ntest('a', () => { expect(half(4)).toBe(2); });",
        "jest/no-identical-title",
    ),
    "has no title": ("test('', () => { expect(half(2)).toBe(1); });", "jest/valid-title"),
    "expects outside of a test": (
        "expect(half(2)).toBe(1);\ntest('a', () => { expect(half(2)).toBe(1); });",
        "jest/no-standalone-expect",
    ),
    "sleeps by a timer": (
        "test('a', async () => { await new Promise((go) => setTimeout(go, 50)); expect(half(2)).toBe(1); });",
        "testwright/sleep",
    ),
    "sleeps by a helper": (
        "const sleep = (ms) => new Promise((go) => setTimeout(go, ms));\n"
        "test('a', async () => { await sleep(50); expect(half(2)).toBe(1); });",
        "testwright/sleep",
    ),
    "sleeps by node": (
        "import { setTimeout as rest } from 'node:timers/promises';\n"
        "test('a', async () => { await rest(50); expect(half(2)).toBe(1); });",
        "testwright/sleep",
    ),
    "reaches for the network": (
        "test('a', async () => { expect((await fetch('https://example.com/x')).ok).toBe(half(2)); });",
        "testwright/network",
    ),
    "compares idly": ("test('a', () => { half(2) === 1; expect(half(4)).toBe(2); });", "testwright/idle-comparison"),
    "is for another framework": (
        "import { vi } from 'vitest';\ntest('a', () => { expect(half(vi)).toBe(1); });",
        "testwright/imports",
    ),
    "describes asynchronously": (
        "describe('all', async () => { test('a', () => { expect(half(2)).toBe(1); }); });",
        "jest/valid-describe-callback",
    ),
    "has no test": ("half(2);", "testwright/tests"),
    "does not parse": ("test('a', () => { expect(half(2).toBe(1); });", "invalid-syntax"),
    "uses what is not there": ("test('a', () => { expect(halve(2)).toBe(half(1)); });", "no-undef"),
    "imports in vain": (
        "import { other } from './other';\ntest('a', () => { expect(half(2)).toBe(1); });",
        "testwright/unused",
    ),
    "repeats a key": ("test('a', () => { expect(half({ a: 1, a: 2 })).toBe(1); });", "no-dupe-keys"),
    "switches rules off": (
        "/* eslint-disable */\ntest.only('a', () => { expect(half(2)).toBe(1); }); // eslint-disable-line",
        "jest/no-focused-tests",
    ),
}
GOOD_JEST = {
    "plain.test.js": HEAD + "describe('half', () => { it('halves', () => { expect(half(2)).toBe(1); }); });",
    "each.test.js": HEAD + "test.each([[2, 1], [4, 2]])('half of %i', (n, h) => { expect(half(n)).toBe(h); });",
    "table.test.js": HEAD + "test.each`a | b\n${2} | ${1}`('half of $a', ({ a, b }) => { expect(half(a)).toBe(b); });",
    "common.test.js": "const { half } = require('../src/half');\n"
    "test('a', () => { expect(() => half(3)).toThrow(RangeError); });",
    "awaited.test.js": HEAD + "it('loads', async () => { await expect(half.load()).resolves.toEqual({ a: 1 }); });",
    "helper.test.js": HEAD + "function holds(n) { expect(half(n) * 2).toBe(n); }\n"
    "test('many', () => { [2, 4].forEach(holds); });",
    "hooks.test.js": HEAD + "let value;\nbeforeEach(() => { value = half(2); });\n"
    "test('a', () => { expect(value).toBe(1); });",
    "branch.test.js": HEAD + "test('a', () => { try { half(3); throw new Error('no error'); } "
    "catch (error) { expect(error.message).toMatch(/odd/); } });",
    "counted.test.js": HEAD + "test('a', () => { expect.assertions(1); return half.load().catch((error) => "
    "{ expect(error).toBeDefined(); }); });",
    "mocked.test.js": HEAD + "jest.mock('axios');\nconst axios = require('axios');\n"
    "test('a', async () => { axios.get.mockResolvedValue(1); await half.load(); "
    "expect(axios.get).toHaveBeenCalledWith('https://example.com/x'); });",
    "slow.test.js": HEAD + "test('a', async () => { jest.useFakeTimers(); const slow = jest.fn(() => "
    "new Promise((go) => setTimeout(go, 500))); half.load(slow); jest.runAllTimers(); "
    "expect(slow).toHaveBeenCalled(); });",
    "supertest.test.js": "const request = require('supertest');\nconst app = require('../app');\n"
    "test('a', () => request(app).get('/ping').expect(204));",
    "view.test.jsx": "import { render, screen } from '@testing-library/react';\nimport { Cart } from './Cart';\n"
    "test('shows', () => { render(<Cart items={[1]} />); expect(screen.getByText('1')).toBeInTheDocument(); });",
    "typed.test.ts": "import type { Cart } from './cart';\nimport { total } from './cart';\n"
    "const cart: Cart = { items: [1, 2] };\ntest('sum', () => { expect(total(cart as Cart)).toBe(3); });",
    "view.test.tsx": "import { render } from '@testing-library/react';\nimport { Cart } from './Cart';\n"
    "test('shows', () => { const { container } = render(<Cart<number> items={[1]} />); "
    "expect(container.textContent).toBe('1'); });",
    "globals.test.ts": "import { expect, it } from '@jest/globals';\nimport { half } from './half';\n"
    "it('halves', () => { expect(half(2)).toBe(1); });",
    "script.test.js": "const half = require('./half');\ntest('a', () => { delete globalThis.x; "
    "expect(half(010)).toBe(4); });",
}
PLAYWRIGHT = "import { expect, test } from '@playwright/test';\n"
BAD_PLAYWRIGHT = {
    "does not await": ("expect(page.getByText('a')).toBeVisible();", "playwright/missing-playwright-await"),
    "does not await an action": (
        "page.getByRole('button').click();\nawait expect(page).toHaveURL('/');",
        "testwright/awaited",
    ),
    "does not await an action on a locator": (
        "const button = page.getByRole('button');\nbutton.click();\nawait expect(page).toHaveURL('/');",
        "testwright/awaited",
    ),
    "waits for time": (
        "await page.waitForTimeout(500);\nawait expect(page).toHaveURL('/');",
        "playwright/no-wait-for-timeout",
    ),
    "waits by a timer": (
        "await new Promise((go) => setTimeout(go, 9));\nawait expect(page).toHaveURL('/');",
        "testwright/sleep",
    ),
    "stops for a person": ("await page.pause();\nawait expect(page).toHaveURL('/');", "playwright/no-page-pause"),
    "reaches for the network": (
        "await page.goto('https://example.com/');\nawait expect(page).toHaveTitle('a');",
        "testwright/network",
    ),
    "asserts nothing": ("await page.goto('/');", "testwright/assertions"),
    "prints only": ("console.log(await page.title());", "testwright/assertions"),
    "skips itself": ("test.skip();\nawait expect(page).toHaveTitle('a');", "playwright/no-skipped-test"),
    "has no matcher": ("await expect(page);", "playwright/valid-expect"),
    "waits for silence": (
        "await page.goto('/', { waitUntil: 'networkidle' });\nawait expect(page).toHaveURL('/');",
        "playwright/no-networkidle",
    ),
    "does not parse": ("await expect(page.getByText('a').toBeVisible();", "invalid-syntax"),
    "uses what is not there": ("await expect(page.getByText(wanted)).toBeVisible();", "testwright/undefined"),
    "asserts what is always true": ("await page.goto('/');\nexpect(1).toBe(1);", "testwright/tautology"),
}
GOOD_PLAYWRIGHT = {
    "plain.spec.ts": PLAYWRIGHT + "test.describe('cart', () => {\n"
    "  test.beforeEach(async ({ page }) => { await page.goto('/cart'); });\n"
    "  test('is empty', async ({ page }) => { await expect(page.getByText('Empty')).toBeVisible(); });\n});",
    "request.spec.ts": PLAYWRIGHT + "test('answers', { tag: '@high' }, async ({ request }) => {\n"
    "  test.skip(!process.env.ID, 'ID names a cart.');\n"
    "  const answer = await request.get(`/carts/${process.env.ID!}`);\n"
    "  expect([200, 404]).toContain(answer.status());\n});",
    "fixtures.spec.ts": "import { test as base, expect } from '@playwright/test';\nimport { Cart } from './cart';\n"
    "const test = base.extend<{ cart: Cart }>({ cart: async ({ page }, use) => { await use(new Cart(page)); } });\n"
    "test('fills', async ({ cart }) => { await cart.add('pen'); await expect(cart.rows).toHaveCount(1); });",
    "routed.spec.ts": PLAYWRIGHT + "test('a', async ({ page }) => {\n"
    "  await page.route('**/api', (route) => route.fulfill({ json: [] }));\n"
    "  await page.goto('https://shop.example.org/');\n  await expect(page.getByRole('list')).toBeEmpty();\n});",
    "together.spec.ts": PLAYWRIGHT + "test('a', async ({ page }) => {\n"
    "  const answered = page.waitForResponse('**/api');\n"
    "  await Promise.all([page.getByRole('button').click(), page.waitForURL('/done')]);\n"
    "  await answered;\n  page.on('dialog', (dialog) => { dialog.accept(); });\n  page.setDefaultTimeout(500);\n"
    "  await page.evaluate(() => { document.querySelector('a')?.click(); });\n"
    "  [1].fill(0);\n"
    "  void page.goto('/');\n  page.goBack().catch(() => {});\n  await expect(page).toHaveURL('/done');\n});",
    "poll.spec.js": "const { test, expect } = require('@playwright/test');\n"
    "test('a', async ({ page }) => { await expect.poll(() => page.title()).toBe('Shop'); });",
    "object.spec.ts": "import { test } from '@playwright/test';\nimport { LoginPage } from './login-page';\n"
    "test('a', async ({ page }) => { const login = new LoginPage(page); await login.open(); "
    "await login.expectVisible(); });",
    "soft.spec.ts": PLAYWRIGHT + "test('a', async ({ page }) => { await test.step('open', async () => "
    "{ await page.goto('/'); });\n  await expect.soft(page.locator('h1')).toHaveText('Shop'); });",
}


def _file(body: str, head: str) -> str:
    return f"{head}{body}\n"


@pytest.fixture(scope="module")
def checks(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        use_machine_cache(patch)
        return JavaScriptChecks(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def jest(checks):
    bad = {f"{name}.test.js": _file(source, HEAD) for name, (source, _) in BAD_JEST.items()}
    return issues_of({**bad, **GOOD_JEST}, "jest", checks)


@pytest.fixture(scope="module")
def playwright(checks):
    bad = {
        f"{name}.spec.ts": f"{PLAYWRIGHT}test('a', async ({{ page }}) => {{\n{body}\n}});\n"
        for name, (body, _) in BAD_PLAYWRIGHT.items()
    }
    return issues_of({**bad, **GOOD_PLAYWRIGHT}, "playwright", checks)


@pytest.mark.feature("T-10")
@pytest.mark.parametrize("name", BAD_JEST)
def test_a_jest_test_is_told_when_it(jest, name):
    rule = BAD_JEST[name][1]
    found = jest[f"{name}.test.js"]
    assert rule in rules_of(found)
    wanted = {"invalid-syntax": "syntax", "no-undef": "lint", "no-dupe-keys": "lint", "testwright/unused": "lint"}
    assert {one.type for one in found if one.rule == rule} == {wanted.get(rule, "structure")}
    assert all(one.line > 0 for one in found)
    assert all(issue.suggestion for issue in script_issues(found, "jest"))


@pytest.mark.feature("T-10")
@pytest.mark.parametrize("name", GOOD_JEST)
def test_what_people_write_for_jest_is_left_alone(jest, name):
    assert rules_of(jest[name]) == []


@pytest.mark.feature("T-10")
@pytest.mark.parametrize("name", BAD_PLAYWRIGHT)
def test_a_playwright_test_is_told_when_it(playwright, name):
    rule = BAD_PLAYWRIGHT[name][1]
    found = playwright[f"{name}.spec.ts"]
    assert rule in rules_of(found)
    assert all(issue.suggestion for issue in script_issues(found, "playwright"))


@pytest.mark.feature("T-10")
@pytest.mark.parametrize("name", GOOD_PLAYWRIGHT)
def test_what_people_write_for_playwright_is_left_alone(playwright, name):
    assert rules_of(playwright[name]) == []


def test_lines_are_those_of_the_file_and_all_errors_come_together(checks):
    source = dedent("""\
        import { test } from '@playwright/test';
        import { unused } from './x';

        test.only('a', async ({ page }) => {
          await page.waitForTimeout(100);
          expect(page).toHaveTitle('x');
        });
        """)
    [found] = issues_of({"a.spec.ts": source}, "playwright", checks).values()
    assert {(one.type, one.rule, one.line) for one in found} >= {
        ("lint", "testwright/unused", 2),
        ("structure", "playwright/no-focused-test", 4),
        ("structure", "playwright/no-wait-for-timeout", 5),
        ("structure", "testwright/imports", 6),
    }


@pytest.mark.parametrize(
    ("name", "framework", "told"),
    [
        ("tests/cart.test.ts", "jest", False),
        ("src/__tests__/cart.js", "jest", False),
        ("tests/cart.js", "jest", True),
        ("e2e/cart.spec.mts", "playwright", False),
        ("__tests__/cart.ts", "playwright", True),
    ],
)
def test_a_name_that_the_framework_does_not_collect_is_told(name, framework, told):
    assert bool(list(script_name_issues(name, framework))) is told


def test_what_is_nested_without_end_is_told_and_harms_no_other_file(checks):
    sources = {
        "chain.test.js": f"test('a', () => {{ expect(a{'.b()' * 50_000}).toBe(1); }});",
        "deep.test.ts": f"expect({'[' * 50_000}{']' * 50_000});",
        "plain.test.js": GOOD_JEST["plain.test.js"],
    }
    found = issues_of(sources, "jest", checks)
    assert [rules_of(one) for one in found.values()] == [["invalid-syntax"], ["invalid-syntax"], []]


def test_the_chain_names_no_registry_and_pins_everything():
    folder = Path(__file__).resolve().parents[3] / "analysis" / "javascript" / "chain"
    text = (folder / "package-lock.json").read_text()
    assert "resolved" not in text
    assert text.count('"integrity"') == text.count('"node_modules/')
