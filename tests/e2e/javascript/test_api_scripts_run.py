"""API tests for Jest and for Playwright Test from a request to files in the project, by the real command."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from testwright.sandbox.javascript.node import find_node
from testwright.sandbox.javascript.playwright import PLAYWRIGHT
from testwright.sandbox.javascript.project import JEST
from testwright.tests.support.mcp.js_chain import MACHINE_CACHE
from testwright.tests.support.projects.files import Outcome, make_project
from testwright.tests.support.projects.small_api import FASTAPI_APP
from testwright.tests.support.runs.command_line import invoke_command
from testwright.tests.support.runs.comparison import report_of, run_folder
from testwright.utils.user_folders import cache_folders

pytestmark = [pytest.mark.e2e, pytest.mark.feature("T-10", "T-20", "B-04")]
ENVIRONMENT = {"XDG_CACHE_HOME": str(MACHINE_CACHE)}
APPLICATION = "src/counters/api.py"


@dataclass(frozen=True)
class Run:
    framework: str
    root: Path
    outcome: Outcome

    @property
    def test_file(self) -> Path:
        [found] = (self.root / "tests" / "generated" / "api").glob("*.api.*s")
        return found

    def by_hand(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """The framework on the accepted files, as a person starts it in the project."""
        chain = JEST if self.framework == "jest" else PLAYWRIGHT
        packages = chain.install(cache_folders(self.root, ENVIRONMENT)).folder / "node_modules"
        link = self.root / "node_modules"
        if not link.exists():
            link.symlink_to(packages)
        program = {
            "jest": ["jest/bin/jest.js", "--rootDir", ".", "--config", "{}", "--ci"],
            "playwright": ["@playwright/test/cli.js", "test", "--reporter=line"],
        }[self.framework]
        command = [str(find_node().path), str(packages / program[0]), *program[1:], *arguments]
        environment = {**os.environ, "PYTHON": sys.executable, **variables}
        return subprocess.run(
            command, cwd=self.root, env=environment, capture_output=True, text=True, check=False, timeout=120
        )


@pytest.fixture(scope="module", params=["jest", "playwright"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    files = {"src/counters/__init__.py": "", APPLICATION: FASTAPI_APP}
    root = make_project(tmp_path_factory.mktemp(request.param) / "counters", files)
    words = ("run", "API tests of the project", "--framework", request.param, "--run-id", "r")
    return Run(request.param, root, invoke_command(*words, cwd=root, environment=ENVIRONMENT))


def test_a_request_in_words_ends_with_scripts_in_the_project(run):
    assert run.outcome.code == 0, run.outcome
    report = report_of(run_folder(run.root, "r"))
    assert report["totals"]["kept"] > 5
    assert all(row["reruns"] for target in report["targets"] for row in target["evidence"])
    text = run.test_file.read_text(encoding="utf-8")
    assert "const response = await request.post('/counters', { data: { value: 1 } });" in text
    assert "500" not in text


def test_kept_tests_pass_three_times_in_a_row_as_a_person_starts_them(run):
    if run.framework == "jest":
        rounds = [run.by_hand("--randomize", f"--seed={seed}") for seed in (1, 2, 3)]
    else:
        rounds = [run.by_hand("--repeat-each=3", "--workers=2")]
    for done in rounds:
        assert done.returncode == 0, done.stdout + done.stderr


def test_kept_tests_fail_once_the_application_answers_otherwise(run):
    source = run.root / APPLICATION
    before = source.read_text(encoding="utf-8")
    source.write_text(before.replace("404", "410"), encoding="utf-8")
    try:
        assert run.by_hand().returncode == 1
    finally:
        source.write_text(before, encoding="utf-8")


def test_without_a_variable_that_the_application_takes_they_are_skipped_and_say_why(run):
    text = run.test_file.read_text(encoding="utf-8")
    needy = text.replace("  alone: true,", "  needed: { COUNTERS_URL: 'x://${COUNTERS_HOST}' },\n  alone: true,", 1)
    run.test_file.write_text(needy, encoding="utf-8")
    try:
        done = run.by_hand() if run.framework == "jest" else run.by_hand("--reporter=json")
        shown = done.stdout + done.stderr
        assert done.returncode == 0, shown
        assert "set in the environment: COUNTERS_URL (x://${COUNTERS_HOST})" in shown
        given = run.by_hand(COUNTERS_HOST="here")
        assert given.returncode == 0
        assert "passed" in given.stdout + given.stderr
        assert "skipped" not in given.stdout + given.stderr
    finally:
        run.test_file.write_text(text, encoding="utf-8")
