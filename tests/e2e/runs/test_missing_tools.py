"""A machine without Chromium or Node: which tests are made all the same, and what is said of others (T-20, B-07)."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from testwright.sandbox.javascript import node
from testwright.tests.support.projects.files import FLAT_PYTEST, Outcome, make_project, tree
from testwright.tests.support.projects.guest_book import PAGES
from testwright.tests.support.runs.command_line import invoke_command

pytestmark = [pytest.mark.e2e, pytest.mark.feature("T-20", "B-07")]
FILES = {
    **FLAT_PYTEST,
    **PAGES,
    "till.py": 'def change(paid: int, price: int) -> int:\n    """The change.\n\n    >>> change(5, 3)\n    2\n    """\n'
    "    return paid - price\n",
    "src/total.js": "exports.total = (a, b) => a + b;\n",
    "src/rate.js": "exports.rate = (a) => a / 2;\n",
}
QUICK = ("--trials", "20", "--mutants", "0")


@dataclass(frozen=True)
class Bare:
    """A project on a machine that has neither."""

    root: Path
    environment: dict[str, str]

    def run(self, *words: str) -> Outcome:
        """One command there."""
        return invoke_command(*words, cwd=self.root, environment=self.environment)


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bare:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("bwrap", "git"):
        found = shutil.which(name)
        if found:
            (programs / name).symlink_to(found)
    monkeypatch.setattr(node, "_WHEEL", "no_such_wheel_is_installed")
    environment = {"PATH": str(programs), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "none")}
    return Bare(make_project(tmp_path / "project", FILES), environment)


def test_without_chromium_the_other_tests_are_kept_and_the_advice_is_given(bare: Bare) -> None:
    outcome = bare.run("run", "unit tests for till.py, and browser tests of public", *QUICK)
    assert outcome.code == 7, outcome
    assert "There is no Chromium on this machine" in outcome.out
    assert outcome.out.count("apt install chromium-headless-shell") == 1, outcome.out
    added = [name for name in tree(bare.root) if name.startswith("tests/")]
    assert added == ["tests/generated/till/test_till.py"]


def test_without_chromium_browser_tests_alone_end_with_the_code_of_the_environment(bare: Bare) -> None:
    outcome = bare.run("run", "browser tests of public")
    assert outcome.code == 3, outcome
    assert "apt install chromium-headless-shell" in outcome.out + outcome.err


def test_without_node_tests_of_scripts_end_with_what_to_install(bare: Bare) -> None:
    outcome = bare.run("run", "unit tests for src/total.js and src/rate.js")
    assert outcome.code == 3, outcome
    assert "no Node" in outcome.out + outcome.err
    assert outcome.out.count("testwright[js]") == 1, outcome.out
    assert not (bare.root / "tests").exists()


def test_doctor_installs_what_can_be_had_and_says_what_cannot(bare: Bare) -> None:
    nowhere = {"XDG_CACHE_HOME": str(bare.root.parent / "cache"), "PIP_CONFIG_FILE": "/dev/null", "PIP_NO_INDEX": "1"}
    alone = Bare(bare.root, {**bare.environment, **nowhere, "PIP_FIND_LINKS": ""})
    found = json.loads(alone.run("doctor", "--install-tools", "--json").out)
    lacking = {one["name"]: one["meaning"] for one in found if one["name"].startswith("install ")}
    # What this environment has itself needs no fetching.
    assert {"install Jest", "install Playwright Test"} <= lacking.keys()
    assert all("testwright[js]" in lacking[name] for name in ("install Jest", "install Playwright Test"))
    assert not {"install pytest-playwright", "install pytest-benchmark"} & lacking.keys()
    assert ("install locust" in lacking) is (find_spec("locust") is None)
    assert "pip install" in lacking.get("install locust", "pip install")


def test_doctor_says_of_both_what_is_missing_and_what_that_means(bare: Bare) -> None:
    outcome = bare.run("doctor")
    assert "There is no Chromium on this machine" in outcome.out
    assert "no Node new enough" in outcome.out
    # No line is broken: what is said can be copied.
    assert "apt install chromium-headless-shell" in outcome.out
