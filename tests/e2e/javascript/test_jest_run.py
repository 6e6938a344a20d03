"""Unit tests of JavaScript and TypeScript from a request to files in the project, by the real command and real Jest."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from testwright.app import api, model_clients
from testwright.core.events import Event, EventType
from testwright.core.exit_code import ExitCode
from testwright.mutation.catalog import sample
from testwright.mutation.javascript import mutants_of_script, replaced
from testwright.sandbox.javascript.node import find_node
from testwright.sandbox.javascript.project import JEST
from testwright.sandbox.javascript.syntax import parse
from testwright.tests.support.hostile.host import processes_with
from testwright.tests.support.mcp.js_chain import MACHINE_CACHE
from testwright.tests.support.projects.files import Outcome, make_project, tree
from testwright.tests.support.runs.command_line import invoke_command
from testwright.tests.support.runs.comparison import report_of, run_folder
from testwright.utils.user_folders import cache_folders

pytestmark = [pytest.mark.e2e, pytest.mark.feature("T-10", "T-20", "B-11")]

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "checkout"
MODULES = ("src/shipping.js", "src/vouchers.ts")
ENVIRONMENT = {"XDG_CACHE_HOME": str(MACHINE_CACHE)}
PLANTED = 12
RUN = "5f0c6b1e-6a55-4a6e-9d0e-3c1d5f6a7b80"
CONFIG = """const tools = process.env.JEST_TOOLS;
module.exports = {
  transform: { '\\\\.[jt]s$': [`${tools}/babel-jest`, { babelrc: false, configFile: false, presets:
    [`${tools}/@babel/preset-typescript`], plugins: [`${tools}/@babel/plugin-transform-modules-commonjs`] }] },
};
"""


@dataclass(frozen=True)
class Run:
    root: Path
    before: dict[str, bytes]
    outcome: Outcome

    def jest(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Jest on the accepted files, as a person starts it."""
        tools = JEST.install(cache_folders(self.root, ENVIRONMENT)).folder / "node_modules"
        command = [str(find_node().path), str(tools / "jest" / "bin" / "jest.js"), "--config", "jest.check.cjs"]
        environment = {**os.environ, "JEST_TOOLS": str(tools)}
        return subprocess.run(
            [*command, *arguments], cwd=self.root, env=environment, capture_output=True, text=True, check=False
        )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    root = tmp_path_factory.mktemp("checkout") / "checkout"
    shutil.copytree(EXAMPLE, root)
    before = tree(root)
    outcome = invoke_command(
        "run",
        "jest tests for src/shipping.js and src/vouchers.ts",
        "--root",
        str(root),
        "--run-id",
        RUN,
        cwd=root,
        environment=ENVIRONMENT,
    )
    (root / "jest.check.cjs").write_text(CONFIG)
    return Run(root, before, outcome)


def test_kept_tests_join_the_project_and_nothing_else_changes(run):
    assert run.outcome.code == 0, run.outcome
    after = {name: text for name, text in tree(run.root).items() if not name.startswith(".testwright")}
    added = sorted(set(after) - set(run.before) - {"jest.check.cjs"})
    assert added == ["tests/generated/shipping.test.js", "tests/generated/vouchers.test.ts"]
    assert {name: after[name] for name in run.before} == run.before


def test_kept_tests_pass_three_times_in_a_row_as_a_person_starts_them(run):
    for seed in ("1", "2", "3"):
        done = run.jest("--ci", "--randomize", "--seed", seed)
        assert done.returncode == 0, done.stderr


def test_documented_examples_become_tests_that_say_so(run):
    spec = json.loads((run_folder(run.root, RUN) / "specs" / "src_shipping_js.json").read_text())
    documented = [case for case in spec["cases"] if case["expect"][0]["origin"] == "documented"]
    assert {(case["subject"], case["expect"][0]["evidence"]["path"]) for case in documented} == {
        ("shippingCost", "README.md"),
        ("trackingNumber", "README.md"),
        ("trackingNumber", "src/shipping.js"),
    }
    assert all(case["reason"] for case in spec["cases"])


def test_the_report_has_the_evidence_of_each_module(run):
    report = report_of(run_folder(run.root, RUN))
    for target in report["targets"]:
        assert target["coverage"]["after"]["branches"] >= 0.9 * target["coverage"]["after"]["covered_branches"] > 0
        assert all(one["reruns"] for one in target["evidence"])
        assert any(one["mutants_killed"] for one in target["evidence"])


def test_planted_defects_are_caught(run, record_property):
    """A seeded operator plants each defect in a copy of its own, and Jest runs all copies; the list stands in the
    assertion.
    """
    planted: dict[str, str] = {}
    for path in MODULES:
        source = (run.root / path).read_bytes()
        for one in sample(mutants_of_script(parse(source, path), source, path), PLANTED // 2, seed=7):
            copy = run.root / "planted" / str(len(planted))
            [test_file] = (run.root / "tests" / "generated").glob(f"{Path(path).stem}.test.*")
            shutil.copytree(run.root / "src", copy / "src")
            (copy / path).write_bytes(replaced(source, one.start, one.end, one.replacement))
            target = copy / test_file.relative_to(run.root)
            target.parent.mkdir(parents=True)
            shutil.copy(test_file, target)
            planted[str(target)] = f"{path}:{one.line} {one.operator}: {one.after}"
    done = run.jest("--ci", "--json", "planted")
    shutil.rmtree(run.root / "planted")
    passed = {one["name"]: one["status"] == "passed" for one in json.loads(done.stdout)["testResults"]}
    assert passed.keys() == planted.keys(), done.stderr
    listed = "\n".join(f"{'MISSED' if passed[name] else 'caught'} {what}" for name, what in planted.items())
    record_property("planted", listed)
    assert sum(not one for one in passed.values()) >= 0.8 * PLANTED, listed


LOOP = "for (;;) {}\nexport const one = () => 1;\n"
# Blocks its thread as a loop does, but leaves the processor to others until the limits are reached.
BLOCK = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);"
# Keeps the processor again and again until it is ended, but not for all of the half a minute that loading may take.
LOOP_WITH_PAUSES = LOOP.replace(
    "{}", f"{{ for (const began = Date.now(); Date.now() < began + 100; ) {{}} {BLOCK} }}", 1
)
BAD = {
    "src/loops.js": LOOP_WITH_PAUSES,
    "src/broken.ts": "export function cut( { return 1; }\n",
    "src/missing.js": "const left = require('left-pad-that-nobody-has');\nexports.f = (n) => left(n);\n",
    "src/waits.js": "exports.rest = (n) => {\n  while (n < 100) {\n    // for ever\n    "
    + BLOCK
    + "\n  }\n  return n - 100;\n};\n"
    "exports.twice = (n) => 2 * n;\n",
    "src/rates.js": "exports.rate = (country) => (country === 'DE' ? 0.5 : 0.25);\n",
    "src/mixed.js": "import { rate } from './rates';\nconst rates = require('./rates');\n"
    "export const gross = (net, country) => net * (1 + rate(country));\n"
    "export const isCheap = (country) => rates.rate(country) < 0.3;\n",
}


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run on modules of which some cannot be loaded; names say in which order they are worked on."""
    root = make_project(tmp_path_factory.mktemp("bad") / "bad", BAD)
    before = tree(root)
    words = "unit tests for src/loops.js, src/broken.ts, src/missing.js, src/waits.js, src/mixed.js"
    given = ("run", words, "--run-id", RUN, "--mutants", "1")
    return Run(root, before, invoke_command(*given, cwd=root, environment=ENVIRONMENT))


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("src/loops.js", "does not come to an end while it is loaded"),
        ("src/broken.ts", r"src/broken.ts:1: it is no TypeScript that can be read"),
        ("src/missing.js", "cannot be loaded: .*left-pad-that-nobody-has"),
    ],
)
def test_a_module_that_cannot_be_loaded_fails_with_its_reason_and_has_no_tests(bad, path, says):
    assert bad.outcome.code == 7, bad.outcome
    assert re.search(says, bad.outcome.out + bad.outcome.err), bad.outcome
    assert not list(bad.root.rglob(f"{Path(path).stem}.test.*"))


def test_other_modules_keep_their_tests_beside_those_that_fail(bad):
    added = sorted({*tree(bad.root)} - {*bad.before})
    assert [name for name in added if not name.startswith(".testwright")] == [
        "tests/generated/mixed.test.js",
        "tests/generated/waits.test.js",
    ]


def test_nothing_is_left_running_of_what_never_comes_to_an_end(bad):
    assert processes_with(str(bad.root)) == []


def test_es_modules_and_commonjs_may_be_mixed(bad):
    text = (bad.root / "tests/generated/mixed.test.js").read_text()
    assert "const { gross, isCheap } = require('../../src/mixed');" in text


def test_calls_that_never_come_to_an_end_are_named_and_cost_no_other_call(bad):
    text = (bad.root / "tests/generated/waits.test.js").read_text()
    assert "twice(" in text
    [target] = [one for one in report_of(run_folder(bad.root, RUN))["targets"] if one["path"] == "src/waits.js"]
    assert any(
        re.fullmatch(r"rest\(\d+\) does not come to an end, or ends the process", one) for one in target["notes"]
    )


class Clock:
    """Stands in for the module `time`: with the end of a module a second is left of a ceiling."""

    CEILING = 36_000.0
    KEPT_FOR_THE_END = 3_600.0

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.ahead = 0.0
        self.steps: dict[str, str] = {}

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead

    def on_event(self, event: Event) -> None:
        if event.type == EventType.STEP_ENDED and event.step_id:
            self.steps[event.step_id] = event.message
            if not self.ahead and event.step_id.startswith("generate_"):
                self.ahead = self.CEILING - self.KEPT_FOR_THE_END - 1.0 - (time.monotonic() - self.began)


def test_a_ceiling_on_time_ends_a_run_of_scripts_and_keeps_what_was_accepted(tmp_path, monkeypatch):
    """The second module never comes to an end: only the ceiling ends its step, however fast the machine is."""
    root = make_project(tmp_path / "late", {"src/a.js": BAD["src/rates.js"], "src/b.js": LOOP})
    clock = Clock()
    monkeypatch.setattr(model_clients, "time", clock)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    words = "unit tests for src/a.js, src/b.js"
    given = {"max_seconds": clock.CEILING, "jobs": 1, "trials": 20, "mutants": 0, "repeats": 1, "run_id": RUN}
    report = api.generate(words, root=root, on_event=clock.on_event, apply=True, **given)
    assert (report.exit_code, report.exit_reason) == (ExitCode.BUDGET, "budget_exhausted"), report
    assert "the ceiling on time" in clock.steps["generate_unit_src_b_js"], clock.steps
    assert clock.steps["generate_unit_src_a_js"].endswith(" completed")
    assert "rate(" in (root / "tests/generated/a.test.js").read_text()
    assert processes_with(str(root)) == []
