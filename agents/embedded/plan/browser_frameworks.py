"""Decides what the browser tests of a request are written for, beside pytest: Playwright Test or Maestro."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from .reading import Reading
from .request.lexicon import BROWSER_FRAMEWORKS
from .request.parsed_request import Clause, ParsedRequest

NOT_RUN = {
    "maestro": "flows for Maestro are written and checked, and not run: that takes Maestro itself, with a device or a "
    "browser of its own. They stay staged until you add them"
}
"""Why tests for a framework are written only."""
_ONLY_NAME = re.compile(r"(?:with|using|use|in|via|through|as)\s+(?:the\s+)?\S+", re.IGNORECASE)


def browser_framework(words: ParsedRequest, option: str) -> str:
    """The framework of browser tests that a request or an option names; "" for the framework of all others.

    "pytest and playwright" is pytest-playwright: of two names the first one decides, unless tests are called by one.
    """
    if not words.test_types and option not in BROWSER_FRAMEWORKS and not words.frameworks:
        return ""
    said = [name for name in words.frameworks if name in BROWSER_FRAMEWORKS]
    if not said:
        return option if option in BROWSER_FRAMEWORKS and not words.frameworks else ""
    named = any(clause.test_type == "e2e" and said[0] in clause.text.lower() for clause in words.clauses)
    return "" if words.frameworks[0] == "pytest" and not named else said[0]


def with_browser(clauses: Sequence[Clause], framework: str, words: ParsedRequest, reading: Reading) -> list[Clause]:
    """Return the clauses with the framework of their browser tests, and note what it cannot be for.

    Args:
        framework: as of `browser_framework`.
    """
    if not framework:
        return list(clauses)
    browser = [clause for clause in clauses if clause.test_type == "e2e"]
    others = sorted({clause.test_type for clause in clauses} - {"e2e"})
    # "unit tests with playwright" asks for no browser tests.
    idle = bool(others) and all(_ONLY_NAME.fullmatch(clause.text) for clause in browser)
    if idle:
        kinds = " and ".join(others)
        reason = f"browser tests are written for {framework}, and {kinds} tests are not"
        reading.unclear(framework, reason, ["pytest"], stops=True)
        return [clause for clause in clauses if clause not in browser]
    for name in words.frameworks:
        if name in BROWSER_FRAMEWORKS and name != framework:
            reason = f"the tests of one run are written for one framework, and {framework} is named first"
            reading.unclear(name, reason, [f"another run for {name}"])
    return [replace(clause, framework=framework) if clause in browser else clause for clause in clauses]
