"""Browser tests in TypeScript from a request to files in the project, by the real command, Node and Chromium."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from testwright.sandbox.javascript.node import find_node
from testwright.sandbox.javascript.playwright import PLAYWRIGHT
from testwright.tests.support.mcp.js_chain import MACHINE_CACHE
from testwright.tests.support.projects.files import Outcome, make_project
from testwright.tests.support.projects.guest_book import PAGES
from testwright.tests.support.runs.browsers import chromium
from testwright.tests.support.runs.command_line import invoke_command
from testwright.tests.support.runs.comparison import report_of, run_folder
from testwright.utils.user_folders import cache_folders

pytestmark = [pytest.mark.e2e, pytest.mark.feature("T-10", "T-20", "B-04")]
ENVIRONMENT = {"XDG_CACHE_HOME": str(MACHINE_CACHE)}
REQUEST = "end-to-end tests of public in TypeScript with Playwright"
TEST_FILE = "tests/generated/e2e/public_pages.spec.ts"


@dataclass(frozen=True)
class Run:
    root: Path
    outcome: Outcome

    def playwright(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Playwright Test on the accepted files, as a person starts it, with the configuration that is there."""
        packages = PLAYWRIGHT.install(cache_folders(self.root, ENVIRONMENT)).folder / "node_modules"
        link = self.root / "node_modules"
        if not link.exists():
            link.symlink_to(packages)
        command = [str(find_node().path), str(packages / "@playwright" / "test" / "cli.js"), "test", "--reporter=line"]
        environment = {**os.environ, "BROWSER_EXECUTABLE": chromium()}
        return subprocess.run(
            [*command, *arguments], cwd=self.root, env=environment, capture_output=True, text=True, check=False
        )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    root = make_project(tmp_path_factory.mktemp("bakery") / "bakery", PAGES)
    return Run(root, invoke_command("run", REQUEST, "--run-id", "r", cwd=root, environment=ENVIRONMENT))


def test_a_request_in_words_ends_with_tests_in_typescript_in_the_project(run):
    assert run.outcome.code == 0, run.outcome
    report = report_of(run_folder(run.root, "r"))
    assert (report["totals"]["kept"], report["execution"]) == (2, "executed")
    text = (run.root / TEST_FILE).read_text(encoding="utf-8")
    assert "await page.getByRole('link', { name: 'Prices' }).click();" in text
    assert "await expect(page.getByRole('row', { name: 'Rye 2.80', exact: true })).toBeVisible();" in text
    assert f"npx playwright test {TEST_FILE}" in run.outcome.out


def test_a_case_is_followed_from_the_spec_to_the_code_and_the_report(run):
    spec = json.loads((run_folder(run.root, "r") / "specs" / "public_pages_e2e.json").read_text("utf-8"))
    text = (run.root / TEST_FILE).read_text(encoding="utf-8")
    rows = [row for target in report_of(run_folder(run.root, "r"))["targets"] for row in target["evidence"]]
    assert {row["case_id"] for row in rows} == {case["id"] for case in spec["cases"]}
    assert all(f"@{case['id']}'" in text for case in spec["cases"])
    assert all(row["reruns"] for row in rows)


def test_the_kept_tests_are_collected_and_pass_as_a_person_starts_them_until_the_site_changes(run):
    done = run.playwright("--repeat-each=3", "--workers=2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed" in done.stdout
    page = run.root / "public" / "prices.html"
    page.write_text(page.read_text().replace("2.80", "2.90"))
    done = run.playwright()
    assert done.returncode == 1
    assert "Rye 2.80" in done.stdout


def test_a_playwright_that_the_project_names_and_has_not_installed_ends_the_run_with_advice(tmp_path):
    manifest = '{"devDependencies": {"@playwright/test": "^1.50.0"}}'
    root = make_project(tmp_path / "bakery", {**PAGES, "package.json": manifest})
    outcome = invoke_command("run", REQUEST, cwd=root, environment=ENVIRONMENT)
    assert outcome.code == 3, outcome
    assert "it is not installed there" in outcome.out + outcome.err
    assert "npm install" in outcome.out + outcome.err
    assert not (root / "tests").exists()
