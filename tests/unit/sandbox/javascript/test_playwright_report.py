"""What Playwright's JSON reporter wrote is read test by test, and what stands against whole files is not lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.sandbox.javascript.playwright_report import problems_of, project_config, read_tests

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
