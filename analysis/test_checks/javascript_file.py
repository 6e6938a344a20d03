"""Checks Jest and Playwright tests in JavaScript and TypeScript, and adds a suggestion to each issue."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from ...utils.error_formatter import CodeIssue
from ..javascript.checks import SUFFIXES, ScriptIssue
from .code_model import structure_issue

FRAMEWORKS = ("jest", "playwright")
_COLLECTED = re.compile(r"\.(test|spec)\.[cm]?[jt]sx?$")
_SUGGESTIONS = {
    "invalid-syntax": "correct the syntax",
    "no-undef": "import or define the name",
    "testwright/undefined": "import or define the name",
    "testwright/unused": "remove it, or assert on it",
    "testwright/assertions": "assert what the case expects, on every way through the test",
    "testwright/awaited": "write await before it",
    "testwright/expected-failure": "expect what should happen, or leave the test out",
    "testwright/idle-comparison": "put it into expect(…)",
    "testwright/network": "use a stand-in (a mock, page.route), or a server on the loopback address",
    "testwright/sleep": "wait for the event itself, or use fake timers",
    "testwright/subject": "call what is tested and assert on its result",
    "testwright/tautology": "assert something that can fail",
    "jest/no-disabled-tests": "test something, or leave the test out",
    "jest/no-export": "move what others need into a file that is no test",
    "jest/no-focused-tests": "remove .only: the other tests do not run",
    "jest/no-identical-title": "give each test a title of its own",
    "jest/no-standalone-expect": "move the expect into a test",
    "jest/valid-describe-callback": "give describe a title and a plain function that takes and returns nothing",
    "jest/valid-expect": "call a matcher on expect(…), and await it when it is a promise",
    "jest/valid-expect-in-promise": "return or await the promise that asserts",
    "jest/valid-title": "give it a title that is a text and not empty",
    "playwright/missing-playwright-await": "write await before it",
    "playwright/no-element-handle": "use a locator",
    "playwright/no-focused-test": "remove .only: the other tests do not run",
    "playwright/no-identical-title": "give each test a title of its own",
    "playwright/no-networkidle": "wait for what the page shows",
    "playwright/no-page-pause": "remove it",
    "playwright/no-skipped-test": "test something, or leave the test out",
    "playwright/no-standalone-expect": "move the expect into a test",
    "playwright/no-wait-for-navigation": "use page.waitForURL",
    "playwright/no-wait-for-timeout": "assert what is waited for: expect(locator) retries",
    "playwright/prefer-web-first-assertions": "assert on the locator itself: expect(locator) retries",
    "playwright/valid-describe-callback": "give test.describe a title and a plain function",
    "playwright/valid-expect": "call a matcher on expect(…)",
    "playwright/valid-title": "give it a title that is a text and not empty",
}
_IMPORTS = {
    "jest": "import from '@jest/globals', or use Jest's globals",
    "playwright": "import it from '@playwright/test'",
}
_TESTS = {
    "jest": "write test('…', () => { … }) or it(…), in describe blocks where it helps",
    "playwright": "write test('…', async ({ page }) => { … })",
}


def script_name_issues(name: str, framework: str) -> Iterator[CodeIssue]:
    """Yields the issue of a file name that the framework does not collect by default.

    Args:
        name: the file's path.
    """
    path = PurePosixPath(name)
    folder_says = framework == "jest" and "__tests__" in path.parts and path.suffix in SUFFIXES
    if not _COLLECTED.search(path.name) and not folder_says:
        message = f"{framework} does not collect a file called {path.name}"
        yield structure_issue(0, message, "call it ….test.ts, ….spec.ts or the same in .js", "file_name")


def script_issues(found: Sequence[ScriptIssue], framework: str) -> Iterator[CodeIssue]:
    """Lists the chain's issues with a suggestion for each."""
    for found_item in found:
        message = found_item.message if found_item.type != "lint" else f"{found_item.rule}: {found_item.message}"
        yield CodeIssue(
            found_item.type, found_item.line, message, suggestion_for(found_item, framework), found_item.rule
        )


def suggestion_for(found: ScriptIssue, framework: str = "") -> str:
    """The suggestion for a rule: ours, else ESLint's own, else where the rule is explained."""
    by_framework = {"testwright/imports": _IMPORTS, "testwright/tests": _TESTS}.get(found.rule, {})
    known = by_framework.get(framework) or _SUGGESTIONS.get(found.rule) or found.suggestion
    return known or f"see ESLint rule {found.rule}"
