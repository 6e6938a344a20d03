"""What a run of test files that drive a browser needs, and what the project's own get where there is no browser."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from testwright.core.errors import EnvironmentFault
from testwright.gate.runner import browser
from testwright.sandbox.browsers.chromium import Chromium

pytestmark = pytest.mark.feature("T-20")
DRIVES = "from playwright.sync_api import Page\n"
FOUND = Chromium(Path("/cache/chromium-1/chrome"), (Path("/cache/chromium-1"),), Path("/cache"))


def _absent() -> Chromium:
    raise EnvironmentFault("There is no Chromium.")


def _target(**variables: str) -> Any:
    return SimpleNamespace(interpreter=None, caches=(), variables=variables)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """One with a Chromium and pytest-playwright."""
    monkeypatch.setattr(browser, "find_chromium", lambda: FOUND)
    monkeypatch.setattr(browser, "browser_overlay", lambda *_: ())
    monkeypatch.setattr(browser, "has_base_url_plugin", lambda _: False)
    return monkeypatch


@pytest.mark.parametrize("text", ["# like playwright.sync_api\n", 'TEXT = "import playwright.sync_api"\n'])
async def test_a_file_that_only_speaks_of_playwright_keeps_the_usual_limits(machine, tmp_path, text):
    (tmp_path / "test_words.py").write_text(text)
    assert await browser.needs_of(_target(), tmp_path, ["test_words.py"]) == browser.RunNeeds()


async def test_own_tests_run_without_a_browser_where_there_is_none_and_a_note_says_so(machine, tmp_path):
    machine.setattr(browser, "find_chromium", _absent)
    (tmp_path / "test_shop.py").write_text(DRIVES)
    needs = await browser.needs_of(_target(), tmp_path, ["test_shop.py"], own=True)
    assert (needs.browser, needs.limits) == (False, browser.RunNeeds().limits)
    assert needs.note == "tests of the project that drive a browser have none here: There is no Chromium."
    with pytest.raises(EnvironmentFault):
        await browser.needs_of(_target(), tmp_path, ["test_shop.py"])


@pytest.mark.parametrize(
    ("line", "settings", "kept"),
    [
        ('os.environ["SHOP_PIN"]', {"SHOP_PIN": "4417"}, False),
        ('ENVIRONMENT = {"SHOP_TOKEN": os.environ.get("SHOP_TOKEN") or ""}', {"SHOP_TOKEN": "zq81-4417"}, False),
        ('ENVIRONMENT = {"SHOP_COLOUR": os.environ.get("SHOP_COLOUR") or ""}', {"SHOP_COLOUR": "blue"}, True),
        ('os.environ["SHOP_PIN"]', {}, True),
    ],
)
async def test_neither_a_screenshot_nor_a_trace_is_kept_where_a_secret_of_the_settings_may_be_shown(
    machine, tmp_path, line, settings, kept
):
    (tmp_path / "test_shop.py").write_text(f"{DRIVES}import os\n{line}\n")
    needs = await browser.needs_of(_target(**settings), tmp_path, ["test_shop.py"])
    given = needs.arguments(tmp_path, loaded=True, traced=True)
    assert ("--screenshot" in given, "--tracing" in given) == (kept, kept)


async def test_runs_get_the_chromium_that_the_site_was_explored_with(machine, tmp_path):
    (tmp_path / "test_shop.py").write_text(DRIVES)
    needs = await browser.needs_of(_target(), tmp_path, ["test_shop.py"])
    assert needs.environment == {
        "BROWSER_EXECUTABLE": "/cache/chromium-1/chrome",
        "PLAYWRIGHT_BROWSERS_PATH": "/cache",
    }


async def test_an_older_pytest_playwright_gets_the_plugin_with_the_fixture_that_it_takes(machine, tmp_path):
    (tmp_path / "test_shop.py").write_text(DRIVES)
    machine.setattr(browser, "has_base_url_plugin", lambda _: True)
    needs = await browser.needs_of(_target(), tmp_path, ["test_shop.py"])
    assert needs.arguments(tmp_path, loaded=False, traced=False)[:4] == [
        *("-p", "pytest_base_url.plugin"),
        *("-p", "pytest_playwright.pytest_playwright"),
    ]
