"""A real browser for tests of pages: the machine's Chromium, driven by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from ..mcp.npm_tools import npm_folder

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def chromium() -> str:
    """The path of Chromium. Raises AssertionError, with what to install, where the machine has none."""
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    assert found, "no Chromium on this machine: apt-get install chromium-headless-shell"
    return found


@contextmanager
def open_browser() -> Iterator[Browser]:
    """A browser for the block."""
    with sync_playwright() as playwright:
        # Chromium's own sandbox wants privileges that containers lack; it shows nothing but our own page.
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def open_page(browser: Browser, path: Path, **context: Any) -> Iterator[tuple[Page, list[str]]]:
    """A page in a fresh context without a network, and what its console complains of.

    Args:
        context: options of `Browser.new_context`.
    """
    with browser.new_context(**context) as made:
        made.set_offline(True)
        page = made.new_page()
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request",
            lambda request: complaints.extend([request.url] * (not request.url.startswith(("file:", "data:")))),
        )
        page.goto(path.as_uri())
        yield page, complaints


def axe_violations(page: Page) -> list[str]:
    """What axe finds against the page, by WCAG 2.2 AA and good practice: "rule: element"."""
    script = (npm_folder() / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")
    # Through the protocol: the page's policy lets no script element but its own run.
    session = page.context.new_cdp_session(page)
    session.send("Runtime.evaluate", {"expression": script})
    found = page.evaluate("async () => (await axe.run()).violations")
    return [f"{rule['id']}: {node['html'][:200]}" for rule in found for node in rule["nodes"]]
