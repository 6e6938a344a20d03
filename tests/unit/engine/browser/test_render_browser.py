"""Browser specs become tests for pytest-playwright that a person would write."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from testwright.core.errors import AgentFailure
from testwright.engine.browser.write.evidence import TextPlaces
from testwright.engine.browser.write.render import CONFTEST
from testwright.engine.rendering import render_files
from testwright.mcp.tools.validate_code import check_code

SPEC = Path(__file__).parents[3] / "data" / "schemas" / "e2e_test_schema_v1" / "valid" / "orders_with_pytest.json"
PATH = "tests/generated/e2e/test_orders_browser.py"
pytestmark = pytest.mark.feature("T-20")


@pytest.fixture(scope="module")
def spec() -> dict[str, Any]:
    return json.loads(SPEC.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def text(spec) -> str:
    return render_files(spec, "pytest", PATH)[0].contents


def test_a_flow_reads_like_what_a_person_does_and_sees(text):
    wanted = '''def test_an_order_appears(page: Page):
    """An order of two apples appears in the list of orders (tc_an_order_appears)."""
    sign_in_as_keeper(page)
    page.goto("/orders/new")
    page.get_by_label("Pieces").fill("2")
    page.get_by_role("button", name="Place order").click()
    expect(page.get_by_role("status")).to_have_text("Order 3 was placed.")
    page.goto("/orders")
    expect(page.get_by_role("row", name="Order 3 apple 2", exact=True)).to_be_visible()
'''
    assert wanted in text


def test_a_dialog_is_answered_before_the_click_and_its_words_are_asserted_after(text):
    wanted = """    asked = answer_next_dialog(page, accept=False)
    page.get_by_role("button", name="Cancel order").click()
    assert asked == ["Cancel order 1?"]
"""
    assert wanted in text


def test_no_other_variable_of_the_shell_reaches_an_application_of_the_source_and_those_of_the_settings_do(spec):
    application = {"import": "shop:app", "environment": {"SHOP_PASSWORD": ""}}
    handed = {**spec, "target": {**spec["target"], "application": application}}
    text = render_files(handed, "pytest", PATH)[0].contents
    assert "alone=True" in text
    assert 'ENVIRONMENT = {"SHOP_PASSWORD": os.environ.get("SHOP_PASSWORD") or ""}' in text
    assert 'fill(os.environ["SHOP_PASSWORD"])' in text
    command = {**spec, "target": {**spec["target"], "application": {"command": ["serve", "{port}"]}}}
    assert "alone" not in render_files(command, "pytest", PATH)[0].contents


def test_a_password_is_read_from_the_environment_and_nobody_goes_on_before_being_signed_in(text):
    assert 'SHOP_PASSWORD = os.environ.get("SHOP_PASSWORD", "test-shop-password")' in text
    wanted = """    page.get_by_label("Password").fill(SHOP_PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_label("Password")).not_to_be_visible()
"""
    assert wanted in text


def test_the_file_waits_for_no_fixed_time_and_passes_the_checks_of_test_code(spec, text):
    files = {one.path.rpartition("/")[2]: one.contents for one in render_files(spec, "pytest", PATH)}
    assert set(files) == {"test_orders_browser.py", "conftest.py", "api_process.py", "api_serving.py"}
    assert "wait_for_timeout" not in text
    assert "sleep" not in text
    result = check_code(text, "test_orders_browser.py", "pytest", (files["conftest.py"],))
    assert result["errors"] == []


def test_the_same_spec_gives_the_same_bytes(spec, text):
    assert render_files(spec, "pytest", PATH)[0].contents == text


def test_an_expectation_that_is_not_written_for_python_is_refused(spec):
    case = {**spec["cases"][0], "expect": [{"kind": "no_console_errors", "origin": "inferred"}]}
    with pytest.raises(AgentFailure, match="no_console_errors"):
        render_files({**spec, "cases": [case]}, "pytest", PATH)


@pytest.mark.parametrize(("named", "path"), [("/own/chrome", "/own/chrome"), ("", None)])
def test_the_chromium_that_a_variable_names_is_started_before_all_others(monkeypatch, tmp_path, named, path):
    monkeypatch.setenv("BROWSER_EXECUTABLE", named)
    monkeypatch.setattr("sys.path", list(sys.path))
    names: dict[str, Any] = {"__file__": str(tmp_path / "conftest.py")}
    exec(CONFTEST.replace('@pytest.fixture(scope="session")\n', ""), names)
    (tmp_path / "chrome").touch()
    playwrights = SimpleNamespace(executable_path=str(tmp_path / "chrome"))
    arguments = names["browser_type_launch_args"]({"headless": True}, playwrights, "chromium")
    assert arguments == {"headless": True, **({"executable_path": path} if path else {})}


def test_what_is_shown_has_evidence_in_the_project_or_none(tmp_path):
    (tmp_path / "unrelated.py").write_text("PRICE = 1\n")
    expectation = {"kind": "title", "value": "Orders of today"}
    assert TextPlaces(tmp_path, []).of(expectation) is None
    assert TextPlaces(tmp_path, ["unrelated.py"]).of(expectation) == {"path": "unrelated.py", "lines": [1, 1]}
