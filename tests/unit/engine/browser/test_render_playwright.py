"""Browser specs become tests for Playwright Test, in TypeScript that a person would write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from testwright.core.errors import AgentFailure
from testwright.engine.browser.write.render_playwright import render_refutations
from testwright.engine.browser.write.typescript_lines import expectation_line, locator_source, script_literal
from testwright.engine.rendering import render_files
from testwright.sandbox.javascript.syntax import parse
from testwright.utils.generated_header import is_untouched

SPEC = Path(__file__).parents[3] / "data" / "schemas" / "e2e_test_schema_v1" / "valid" / "orders_with_pytest.json"
PATH = "tests/generated/e2e/orders.spec.ts"
pytestmark = pytest.mark.feature("T-20")


@pytest.fixture(scope="module")
def spec() -> dict[str, Any]:
    known = json.loads(SPEC.read_text(encoding="utf-8"))
    return {**known, "framework": "playwright", "language": "typescript"}


@pytest.fixture(scope="module")
def files(spec) -> dict[str, str]:
    return {one.path: one.contents for one in render_files(spec, "playwright", PATH)}


def test_a_flow_reads_like_what_a_person_does_and_sees(files):
    wanted = """list of orders', { tag: '@tc_an_order_appears' }, async ({ page }) => {
    await signInAsKeeper(page);
    await page.goto('/orders/new');
    await page.getByLabel('Pieces').fill('2');
    await page.getByRole('button', { name: 'Place order' }).click();
    await expect(page.getByRole('status')).toHaveText('Order 3 was placed.');
    await page.goto('/orders');
    await expect(page.getByRole('row', { name: 'Order 3 apple 2', exact: true })).toBeVisible();
  });
"""
    assert wanted in files[PATH]


def test_a_dialog_is_answered_before_the_click_and_its_words_are_asserted_after(files):
    wanted = """    const asked = answerNextDialog(page, { accept: false });
    await page.getByRole('button', { name: 'Cancel order' }).click();
    expect(asked).toEqual(['Cancel order 1?']);
"""
    assert wanted in files[PATH]


def test_no_file_holds_a_password_not_even_one_that_was_made_up(files):
    assert "fill(variable('SHOP_PASSWORD'))" in files[PATH]
    assert "secrets: ['SHOP_PASSWORD']," in files[PATH]
    assert not any("test-shop-password" in text for text in files.values())


def test_the_files_are_typescript_that_parses_and_wait_for_no_fixed_time(files):
    scripts = {path: text for path, text in files.items() if path.endswith(".ts")}
    assert len(scripts) == 3
    assert [path for path, text in scripts.items() if parse(text.encode(), path).has_error] == []
    assert "waitForTimeout" not in files[PATH]
    assert all(is_untouched(text) for text in files.values())


def test_a_project_without_a_configuration_gets_one_and_another_keeps_its_own(spec, files):
    assert "testDir: 'tests/generated/e2e'" in files["playwright.config.ts"]
    own = {**spec, "target": {**spec["target"], "config": "playwright.config.js"}}
    assert "playwright.config.ts" not in {one.path for one in render_files(own, "playwright", PATH)}


def test_what_a_command_starts_needs_no_python(spec):
    target = {**spec["target"], "application": {"command": ["node", "serve.js", "{port}"], "folder": "site"}}
    made = {one.path: one.contents for one in render_files({**spec, "target": target}, "playwright", PATH)}
    assert "  command: ['node', 'serve.js', '{port}'],\n  folder: 'site',\n" in made[PATH]
    assert not any(path.endswith(".py") for path in made)
    assert "alone: true" not in made[PATH]


def test_no_other_variable_of_the_shell_reaches_an_application_of_the_source(files):
    assert "  alone: true,\n" in files[PATH]
    assert "  startedHere: true,\n" in files[PATH]


def test_each_expectation_is_followed_by_its_opposite_in_the_proof(spec):
    proof = render_refutations(spec, PATH)
    wanted = """    await expect(page.getByRole('status')).toHaveText('Order 3 was placed.');
    await expect(expect(page.getByRole('status')).toHaveText('Order 3 was placed. (another)', \
{ timeout: 100 })).rejects.toThrow();
"""
    assert wanted in proof
    row = "page.getByRole('row', { name: 'Order 3 apple 2', exact: true })"
    assert f"await expect(expect({row}).toBeHidden({{ timeout: 100 }})).rejects.toThrow();" in proof


def test_the_same_spec_gives_the_same_bytes(spec, files):
    assert {one.path: one.contents for one in render_files(spec, "playwright", PATH)} == files


def test_an_expectation_that_is_not_written_is_refused(spec):
    case = {**spec["cases"][0], "expect": [{"kind": "no_console_errors", "origin": "inferred"}]}
    with pytest.raises(AgentFailure, match="no_console_errors"):
        render_files({**spec, "cases": [case]}, "playwright", PATH)


def test_texts_of_a_page_stay_texts():
    assert script_literal("it's\n${x} `y`") == "'it\\'s\\n${x} `y`'"
    assert script_literal({"name": "x", "two words": [1, True]}) == "{ name: 'x', 'two words': [1, true] }"
    quoted = {"by": "text", "value": "'); process.exit(('"}
    assert locator_source(quoted) == "page.getByText('\\'); process.exit((\\'')"


@pytest.mark.parametrize(
    ("locator", "source"),
    [
        ({"by": "test_id", "value": "row", "nth": 2}, "page.getByTestId('row').nth(2)"),
        ({"by": "label", "value": "Name", "exact": True}, "page.getByLabel('Name', { exact: true })"),
        ({"by": "role", "value": "link", "name": "Go", "within": "menu"}, None),
        ({"by": "id", "value": "total"}, "page.locator('#total')"),
    ],
)
def test_an_element_is_found_as_the_spec_says(locator, source):
    inside = "page.getByTestId('menu').getByRole('link', { name: 'Go' })"
    assert locator_source(locator) == (source or inside)
    one = {"kind": "visible", "locator": locator, "timeout_seconds": 9}
    assert expectation_line(one) == f"await expect({source or inside}).toBeVisible({{ timeout: 9000 }});"


def test_a_site_that_runs_already_is_started_by_nobody(spec):
    target = {key: value for key, value in spec["target"].items() if key not in ("application", "import_roots")}
    there = {**spec, "target": {**target, "base_url": "http://127.0.0.1:8000"}}
    text = {one.path: one.contents for one in render_files(there, "playwright", PATH)}[PATH]
    assert "withApplication({\n  root: '.',\n  url: 'http://127.0.0.1:8000',\n});" in text
    python = render_files({**there, "framework": "pytest", "language": "python"}, "pytest", "tests/e2e/test_orders.py")
    assert 'with Application(base_url="http://127.0.0.1:8000") as started:' in python[0].contents
    assert "import Path" not in python[0].contents
