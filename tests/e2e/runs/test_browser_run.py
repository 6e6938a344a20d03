"""Browser tests from a request in words to tests in the project: explored, gated and run in a real Chromium."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from testwright.tests.support.projects.files import make_project
from testwright.tests.support.projects.guest_book import PAGES
from testwright.tests.support.runs.command_line import invoke_command

TEST_FILE = "tests/generated/e2e/test_public_pages_browser.py"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, dict[str, Any]]:
    root = make_project(tmp_path_factory.mktemp("bakery") / "bakery", PAGES)
    result = invoke_command("run", "browser tests of public", "--run-id", "r", cwd=root)
    report = json.loads((root / ".testwright" / "runs" / "r" / "report.json").read_text(encoding="utf-8"))
    return root, result, report


@pytest.mark.feature("T-20", "T-08")
def test_a_request_in_words_ends_with_browser_tests_in_the_project(run):
    root, result, report = run
    assert result.code == 0, result.out
    assert report["totals"]["kept"] == 2
    text = (root / TEST_FILE).read_text(encoding="utf-8")
    assert 'page.get_by_role("link", name="Prices").click()' in text
    assert 'expect(page.get_by_role("row", name="Rye 2.80", exact=True)).to_be_visible()' in text


@pytest.mark.feature("B-04")
def test_a_case_is_followed_from_the_spec_to_the_code_and_the_report(run):
    root, _, report = run
    spec = json.loads((root / ".testwright" / "runs" / "r" / "specs" / "public_pages_e2e.json").read_text("utf-8"))
    ids = {case["id"] for case in spec["cases"]}
    text = (root / TEST_FILE).read_text(encoding="utf-8")
    assert ids
    assert all(case_id in text for case_id in ids)
    assert {row["case_id"] for target in report["targets"] for row in target["evidence"]} == ids
