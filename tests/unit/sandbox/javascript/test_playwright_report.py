"""What Playwright's JSON reporter wrote is read test by test, and what stands against whole files is not lost."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from testwright.sandbox.javascript.playwright import Playwright, PlaywrightRequest
from testwright.sandbox.javascript.playwright_report import plain_text, problems_of, project_config, read_tests

ROOT = Path("/copy/of/project")
pytestmark = pytest.mark.feature("T-10", "T-20")
PASSED = {"title": "signs in", "file": "e2e/a.spec.ts", "tags": ["@tc_a"]}
COLOURED = "\x1b[31mat /copy/of/project/e2e/a.spec.ts\x1b[39m"
REPORT = {
    "suites": [
        {
            "title": "e2e/a.spec.ts",
            "specs": [{**PASSED, "tests": [{"results": [{"status": "passed", "duration": 1500}]}]}],
            "suites": [
                {
                    "title": "orders",
                    "specs": [
                        {
                            **{"title": "appear", "file": "e2e/a.spec.ts"},
                            "tests": [
                                {
                                    "results": [
                                        {
                                            "status": "failed",
                                            "duration": 10,
                                            "errors": [
                                                {"message": "\x1b[31mat /copy/of/project/e2e/a.spec.ts\x1b[39m"}
                                            ],
                                        }
                                    ]
                                }
                            ],
                        }
                    ],
                }
            ],
        }
    ],
    "errors": [{"message": "SyntaxError: no", "location": {"file": "/copy/of/project/e2e/b.spec.ts"}}],
}


def test_a_test_has_its_groups_in_its_name_and_its_cases_in_its_tags():
    first, second = read_tests(REPORT, ROOT)
    assert (first.nodeid, first.status, first.tags, first.seconds) == (
        "e2e/a.spec.ts::signs in",
        "passed",
        ("tc_a",),
        1.5,
    )
    assert (second.name, second.status, second.message) == ("orders > appear", "failed", "at e2e/a.spec.ts")


def test_a_file_that_does_not_load_is_named():
    assert problems_of(REPORT, ROOT) == ("e2e/b.spec.ts: SyntaxError: no",)


def test_the_projects_configuration_is_found(tmp_path):
    assert project_config(tmp_path) == ""
    (tmp_path / "playwright.config.mjs").touch()
    assert project_config(tmp_path) == "playwright.config.mjs"


@pytest.mark.parametrize("secret", ["tulip42", "ab", 'with "quotes"', "longsecretvalue"])
def test_what_tests_fill_in_from_variables_is_in_no_message_whatever_its_length(secret):
    message = f"- fill({json.dumps(secret)})"
    said = plain_text(message, ROOT, [secret])
    assert said == '- fill("[redacted]")'


def test_a_secret_is_masked_before_a_message_is_cut():
    result = {"status": "failed", "duration": 1, "errors": [{"message": "x" * 3995 + "tulip42"}]}
    report = {"suites": [{"title": "f", "specs": [{**PASSED, "tests": [{"results": [result]}]}]}]}
    [test] = read_tests(report, ROOT, ["tulip42"])
    assert "tulip" not in test.message


def test_the_projects_own_times_hold_but_not_for_the_opposites(tmp_path):
    runner = Playwright.__new__(Playwright)
    runner._root = tmp_path
    runner._project = cast(
        Any,
        SimpleNamespace(
            own=True,
            config="playwright.config.ts",
            chromium=SimpleNamespace(path="/chromium"),
            target=SimpleNamespace(variables={}),
        ),
    )
    request = PlaywrightRequest((), test_seconds=60, expect_seconds=5)
    text = runner._config(request, tmp_path)
    assert "timeout: own.timeout || 60000," in text
    assert "expect: { timeout: 5000, ...own.expect }," in text
    assert "  timeout: 60000," in runner._config(replace(request, own_timeout=False), tmp_path)
