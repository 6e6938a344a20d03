"""The verdicts that tests for Jest and for Playwright Test share."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePosixPath

from ...sandbox.javascript.jest import JestTest
from ...sandbox.javascript.playwright_report import PlaywrightTest
from ..model.classify import FailureClass
from ..model.verdicts import CaseVerdict

_LENGTH = 300
"""Characters of a message in a verdict."""
_NOT_LOADED = "● Test suite failed to run"
_ERROR = re.compile(r"\berror TS\d+|Error\b|Cannot find")


def failed_verdict(
    test: JestTest | PlaywrightTest, nodeid: str, case_id: str | None, *, documented: bool, tested: str
) -> CaseVerdict:
    """The verdict of a test that did not pass in the first run.

    Args:
        documented: its expectation stands in the documentation, so that the failure is the product's.
        tested: what contradicts the documentation then, such as "code".
    """
    line = first_line(test.message)
    failure: FailureClass = "test_defect"
    reason = f"what was observed does not hold: {line}"
    if test.status != "failed":
        reason = f"the test is {test.status} and asserts nothing"
    elif documented:
        failure, reason = "product_defect", f"the {tested} contradicts its documentation: {line}"
    return CaseVerdict(
        nodeid, test.path, test.name, "failed", case_id, failure, reason, line, test.message, test.seconds
    )


def not_loaded_verdict(path: str, said: str) -> CaseVerdict:
    """The verdict of a file of which no test ran, with what the framework says of it."""
    line = first_line(said)
    reason = f"the file does not load: {line}"
    return CaseVerdict(path, path, PurePosixPath(path).name, "error", None, "test_defect", reason, line, said)


def flaky_verdict(verdict: CaseVerdict, circumstances: str, said: str) -> CaseVerdict:
    """The verdict of a test that passed before and does not pass once more.

    Args:
        circumstances: how that run differed, such as "in another time zone".
    """
    line = first_line(said)
    return replace(
        verdict,
        verdict="flaky",
        failure_class="flaky",
        reason=f"it does not pass a second time {circumstances}: {line}",
        message=line,
        trace=said,
    )


def first_line(said: str) -> str:
    """What says most of a framework's message: the expected and received values, else its first line."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    facts = [line for line in lines if line.startswith(("Expected", "Received"))]
    # Jest begins the message of a file that does not load with a heading.
    errors = [line for line in lines if _ERROR.search(line)] if lines[:1] == [_NOT_LOADED] else []
    return (" ".join(facts[:2]) or next(iter(errors or lines), "it failed"))[:_LENGTH]
