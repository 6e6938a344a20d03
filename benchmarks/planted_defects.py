"""Plants defects in a copy of a project, one at a time, and tells which of them its generated tests catch.

    python benchmarks/planted_defects.py examples/shop --type integration --framework pytest --count 30 --seed 1
    python benchmarks/planted_defects.py examples/shop --suite tests/generated/integration --files src/shop/orders.py

The places are drawn with a seed from all changes that the mutation operators can make in the files under test: nobody
chooses them. Two rules set changes aside before anything runs: what is equivalent by a rule of the operators, and texts
that only `--help` or a description shows (the argument help, description, metavar, epilog, summary or title of a call),
whose form is the parser's own and differs between versions of Python. Of the changes drawn three counts are printed:

    all lines      every change drawn, also where no test of this type ever comes: the number that counts
    reached lines  those in code that the tests' entry points call, by the syntax tree
    lines run      those on lines that the suite runs, its child processes included

A change on a line that the suite never runs counts as missed without running the suite again.

The suite is run by plain pytest, unittest, Jest or Playwright Test, not testwright. Defects planted by hand are counted
apart: those that the example has already must be among the suspected defects of the run, and those of `--hand FILE`
(JSON: a list of path, old, new, note) are planted like the others.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from testwright.engine.integration.modules.targets import find_seams
from testwright.engine.python.project.layout import Layout, find_layout
from testwright.mutation.catalog import mutants_of, sample
from testwright.mutation.javascript import mutants_of_script
from testwright.mutation.model import Mutant
from testwright.sandbox.javascript.node import find_node
from testwright.sandbox.javascript.playwright import PLAYWRIGHT
from testwright.sandbox.javascript.project import JEST
from testwright.sandbox.javascript.syntax import SUFFIXES, parse
from testwright.utils.user_folders import cache_folders

ROOT = Path(__file__).resolve().parents[1]
REQUESTS = {
    **{"integration": "integration tests of the project", "api": "API tests of the project", "unit": "unit tests"},
    "e2e": "browser tests of the project",
}
RUN_SECONDS = 600
_ENVIRONMENT = """const { TestEnvironment } = require('jest-environment-node');
module.exports = class extends TestEnvironment {
  async handleTestEvent(event) {
    if (event.name === 'test_done' && event.test.errors.length > 0) this.failed = true;
    if (event.name === 'test_start' && this.failed) event.test.mode = 'skip';
  }
};
"""
"""Jest's own `--bail` ends a run after a file, however many tests of it have failed."""
_HELP = frozenset({"help", "description", "metavar", "epilog", "summary", "title"})


@dataclass(frozen=True)
class Planted:
    """A change of one file: `start` and `end` are offsets into its UTF-8 text."""

    path: str
    line: int
    operator: str
    before: str
    after: str
    start: int
    end: int
    replacement: str
    lines: tuple[int, ...] = ()


@dataclass
class Suite:
    """Generated tests and how they are run in a project."""

    project: Path
    framework: str
    folder: str
    roots: tuple[str, ...]

    def run(self, *, measured: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run it once, to the first failure."""
        if self.framework in ("playwright", "jest"):
            return self._run_scripts(measured)
        # What starts no processes comes first: the first failure ends the run.
        files = [path.relative_to(self.project).as_posix() for path in (self.project / self.folder).rglob("test_*.py")]
        files.sort(key=lambda one: ("subprocess" in (self.project / one).read_text(encoding="utf-8"), one))
        python = [sys.executable]
        if measured is not None:
            python += ["-m", "coverage", "run", f"--rcfile={measured}"]
        if self.framework == "pytest":
            command = [*python, "-m", "pytest", *files, "-q", "-x", "-p", "no:cacheprovider"]
        else:
            command = [*python, "-m", "unittest", "-f", *files]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(str(self.project / root) for root in self.roots),
            "PYTHONDONTWRITEBYTECODE": "1",
            # An application that is killed cannot write down which of its lines ran.
            **({"API_STOP_SIGNAL": "SIGTERM"} if measured is not None else {}),
        }
        return subprocess.run(
            command, cwd=self.project, env=environment, capture_output=True, text=True, timeout=RUN_SECONDS, check=False
        )

    def _run_scripts(self, measured: Path | None) -> subprocess.CompletedProcess[str]:
        """Run Playwright Test or Jest as a person does, with the configuration that is there."""
        chain = PLAYWRIGHT if self.framework == "playwright" else JEST
        packages = chain.install(cache_folders(self.project, os.environ)).folder / "node_modules"
        if not (self.project / "node_modules").exists():
            (self.project / "node_modules").symlink_to(packages)
        words = ["@playwright/test/cli.js", "test", "--max-failures=1"]
        if self.framework == "jest":
            environment = self.project / "first_failure.cjs"
            environment.write_text(_ENVIRONMENT, encoding="utf-8")
            words = ["jest/bin/jest.js", "--config", json.dumps(_jest_config(self.project, packages)), "--ci", "--bail"]
            words += ["-i", "--env", str(environment), self.folder]
        command = [str(find_node().path), str(packages / words[0]), *words[1:]]
        environment = {**os.environ, "PYTHON": sys.executable, "PYTHONDONTWRITEBYTECODE": "1"}
        if measured is not None and any((self.project / self.folder).rglob("api_serving.py")):
            serving = str(next((self.project / self.folder).rglob("api_serving.py")))
            launcher = [sys.executable, "-m", "coverage", "run", f"--rcfile={measured}", serving]
            environment |= {"API_LAUNCHER": json.dumps(launcher), "API_STOP_SIGNAL": "SIGTERM"}
        return subprocess.run(
            command, cwd=self.project, env=environment, capture_output=True, text=True, timeout=RUN_SECONDS, check=False
        )


def _jest_config(project: Path, packages: Path) -> dict[str, Any]:
    """What a project without Babel of its own needs for ES modules and TypeScript, see docs/javascript-tests.md.

    It is given as text: Jest finds a file beside a folder without package.json only where it is started otherwise.
    """
    babel = {"babelrc": False, "configFile": False, "presets": [str(packages / "@babel" / "preset-typescript")]}
    babel["plugins"] = [str(packages / "@babel" / "plugin-transform-modules-commonjs")]
    return {"rootDir": str(project), "transform": {"\\.[jt]s$": [str(packages / "babel-jest"), babel]}}


def main() -> int:
    """Measure, print, and exit with 1 when fewer than `--least` percent of all are caught."""
    arguments = _arguments()
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        project = Path(folder) / arguments.project.name
        shutil.copytree(arguments.project, project, ignore=shutil.ignore_patterns(".testwright", "__pycache__", ".git"))
        suspected: list[dict[str, Any]] = []
        if arguments.suite is None:
            shutil.rmtree(project / "tests" / "generated", ignore_errors=True)
            report = _generated(project, arguments)
            suspected = [defect for target in report["targets"] for defect in target.get("suspected_defects") or ()]
        layout = find_layout(project)
        suite = Suite(project, arguments.framework, arguments.suite or "tests/generated", layout.import_roots)
        files = arguments.files or _files(project, arguments.type, layout)
        return _measure(suite, files, layout, suspected, arguments)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project", type=Path, help="the project's root; it is copied, never changed")
    parser.add_argument("--type", choices=tuple(REQUESTS), default="integration")
    parser.add_argument("--request", help="what to ask for; by default tests of that type of the whole project")
    parser.add_argument("--framework", choices=("pytest", "unittest", "playwright", "jest"), default="pytest")
    parser.add_argument("--suite", help="folder of a suite that the project has already, instead of generating one")
    parser.add_argument("--files", nargs="*", help="files to plant in; by default those that the suite is for")
    parser.add_argument("--count", type=int, default=30, help="how many defects (at least 10)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hand", type=Path, help="JSON file of defects that were planted by hand")
    parser.add_argument("--least", type=float, default=0.0, help="percentage of all that must be caught")
    arguments = parser.parse_args()
    if arguments.count < 10:
        parser.error("--count must be at least 10")
    return arguments


def _generated(project: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Let testwright write the suite in the copy; its report."""
    request = f"{arguments.request or REQUESTS[arguments.type]}, with {arguments.framework}"
    command = [sys.executable, str(ROOT / "main.py"), "run", request, "--root", str(project), "--run-id", "planted"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(done.stdout.strip().rpartition("\nReport:")[0])
    report = project / ".testwright" / "runs" / "planted" / "report.json"
    if not report.is_file():
        sys.exit(done.stderr or done.stdout)
    return json.loads(report.read_text(encoding="utf-8"))


def _files(project: Path, test_type: str, layout: Layout) -> list[str]:
    """The components of all integration specs; for other types every module of the project that is not empty."""
    found: dict[str, None] = {}
    for path in sorted((project / ".testwright" / "runs" / "planted" / "specs").glob("*.json")):
        spec = json.loads(path.read_text(encoding="utf-8"))
        for component in (spec.get("target") or {}).get("components") or ():
            found.setdefault(component["path"])
    if test_type == "integration" and found:
        return sorted(found)
    return [place.path for place in layout.modules]


def _measure(
    suite: Suite,
    files: Sequence[str],
    layout: Layout,
    suspected: Sequence[Mapping[str, Any]],
    arguments: argparse.Namespace,
) -> int:
    first = suite.run()
    if first.returncode != 0 or "Ran 0 tests" in first.stderr:
        sys.exit(f"the suite does not pass on the project as it is:\n{first.stdout[-3000:]}{first.stderr[-2000:]}")
    run, reached = _lines_run(suite, files), _lines_reached(suite.project, layout, files)
    drawn, found, equivalent = _drawn(suite.project, files, arguments.count, arguments.seed)
    print(
        f"\n{arguments.type} tests with {arguments.framework}: {found} possible changes in {len(files)} files, of which"
    )
    print(f"{equivalent} are set aside by rule (equivalent, or text that only --help shows);")
    print(f"{len(drawn)} of the others are drawn with seed {arguments.seed}")
    print("files: " + ", ".join(files))
    print(
        "operators: "
        + ", ".join(f"{name} {count}" for name, count in sorted(Counter(o.operator for o in drawn).items()))
    )
    caught: dict[Planted, bool] = {}
    for number, one in enumerate(drawn, 1):
        # No test can notice a change in a file whose other lines run and this one, at its head and its own, does not.
        idle = bool(run.get(one.path)) and run[one.path].isdisjoint((*one.lines, one.line))
        caught[one] = not idle and _is_caught(suite, one)
        marks = " (not run)" if run.get(one.path) and one.line not in run[one.path] else ""
        print(f"{number:3} {'caught' if caught[one] else 'MISSED'} {one.path}:{one.line} {one.operator}{marks}")
        print(f"      {_shown(one.before)}  ->  {_shown(one.after)}", flush=True)
    print()
    every = _share("all lines", drawn, caught)
    # Where nothing was measured, as of scripts, nothing is said.
    if any(reached.values()):
        _share("reached lines", [one for one in drawn if one.line in reached.get(one.path, ())], caught)
    if any(run.values()):
        _share("lines run", [one for one in drawn if one.line in run.get(one.path, ())], caught)
    _by_hand(suite, suspected, arguments.hand)
    return 0 if every >= arguments.least else 1


def _drawn(project: Path, files: Sequence[str], count: int, seed: int) -> tuple[list[Planted], int, int]:
    """The changes to plant, how many there are at all, and how many of those a rule sets aside."""
    every = [one for path in files for one in _changes((project / path).read_bytes(), path)]
    shown = {
        path: [] if path.endswith(SUFFIXES) else _help_texts((project / path).read_text(encoding="utf-8-sig"))
        for path in files
    }
    usable = [one for one in every if one.rule is None and not _within(one.start, one.end, shown[one.path])]
    drawn = [
        Planted(one.path, one.line, one.operator, one.before, one.after, one.start, one.end, one.replacement, one.lines)
        for one in sample(usable, count, seed=seed)
    ]
    return drawn, len(every), len(every) - len(usable)


def _changes(source: bytes, path: str) -> Sequence[Mutant]:
    """All changes of one file, Python or a script."""
    return mutants_of_script(parse(source, path), source, path) if path.endswith(SUFFIXES) else mutants_of(source, path)


def _help_texts(source: str) -> list[tuple[int, int]]:
    """Where texts stand that are written for `--help` or a description only, as offsets into the UTF-8 text."""
    lines = source.encode("utf-8").splitlines(keepends=True)
    begins = [sum(len(line) for line in lines[:at]) for at in range(len(lines) + 1)]
    found: list[tuple[int, int]] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.keyword) and node.arg in _HELP and isinstance(node.value, ast.Constant):
            value = node.value
            start = begins[value.lineno - 1] + value.col_offset
            found.append((start, begins[(value.end_lineno or value.lineno) - 1] + (value.end_col_offset or 0)))
    return found


def _within(start: int, end: int, places: Sequence[tuple[int, int]]) -> bool:
    return any(first <= start and end <= last for first, last in places)


def _is_caught(suite: Suite, one: Planted) -> bool:
    """Whether a test fails while the change is there."""
    place = suite.project / one.path
    original = place.read_bytes()
    data = original.decode("utf-8-sig").encode("utf-8")
    place.write_bytes(data[: one.start] + one.replacement.encode("utf-8") + data[one.end :])
    try:
        return suite.run().returncode != 0
    except subprocess.TimeoutExpired:
        return True
    finally:
        place.write_bytes(original)


def _lines_run(suite: Suite, files: Sequence[str]) -> dict[str, set[int]]:
    """Lines of the files that the suite runs, in its own process and in those that it starts."""
    with tempfile.TemporaryDirectory(prefix="planted-coverage-") as folder:
        settings = Path(folder) / "coveragerc"
        data = Path(folder) / "data"
        include = "\n    ".join(str(suite.project / path) for path in files)
        settings.write_text(
            "[run]\nparallel = true\nsigterm = true\npatch =\n    subprocess\n    fork\n    _exit\n"
            f"data_file = {data}\ninclude =\n    {include}\n",
            encoding="utf-8",
        )
        suite.run(measured=settings)
        for command in (["combine", "-q"], ["json", "-q", "-o", str(Path(folder) / "lines.json")]):
            subprocess.run(
                [sys.executable, "-m", "coverage", command[0], f"--rcfile={settings}", *command[1:]],
                cwd=suite.project,
                capture_output=True,
                check=False,
            )
        found = Path(folder) / "lines.json"
        told = json.loads(found.read_text(encoding="utf-8")) if found.is_file() else {"files": {}}
    return {
        Path(name).relative_to(suite.project).as_posix() if Path(name).is_absolute() else name: set(
            file["executed_lines"]
        )
        for name, file in told["files"].items()
    }


def _lines_reached(project: Path, layout: Layout, files: Sequence[str]) -> dict[str, set[int]]:
    """Lines of code that the entry points call, and those that importing runs."""
    seams = find_seams(project, layout)
    paths = {place.module: place.path for place in layout.modules}
    places = seams.reachable(place.module for place in layout.modules if place.path in files)
    found: dict[str, set[int]] = {}
    for module, facts in seams.facts.items():
        path = paths.get(module, "")
        if path not in files:
            continue
        lines = set(range(1, facts.line_count + 1))
        for callable_ in facts.callables():
            if (module, callable_.qualname) not in places:
                lines -= set(range(callable_.lines[0] + 1, callable_.lines[1] + 1))
        found[path] = lines
    return found


def _by_hand(suite: Suite, suspected: Sequence[Mapping[str, Any]], hand: Path | None) -> None:
    """Defects that the example has, by what the run suspects; and those of a file, planted like the others."""
    for one in suspected:
        print(f"suspected in the project as it is: {one['title']}")
    if hand is None:
        return
    planted = list(_from_file(suite.project, json.loads(hand.read_text(encoding="utf-8"))))
    caught = {one: _is_caught(suite, one) for one in planted}
    for one in planted:
        print(f"by hand: {'caught' if caught[one] else 'MISSED'} {one.path}:{one.line} {one.operator}")
    _share("by hand", planted, caught)


def _from_file(project: Path, rows: Sequence[Mapping[str, str]]) -> Iterator[Planted]:
    for row in rows:
        data = (project / row["path"]).read_text(encoding="utf-8").encode("utf-8")
        old = row["old"].encode("utf-8")
        if data.count(old) != 1:
            sys.exit(f"{row['path']} holds {data.count(old)} times what is to be replaced: {row['old']}")
        start = data.index(old)
        line = data.count(b"\n", 0, start) + 1
        yield Planted(row["path"], line, row["note"], row["old"], row["new"], start, start + len(old), row["new"])


def _share(name: str, planted: Sequence[Planted], caught: Mapping[Planted, bool]) -> float:
    count = sum(caught[one] for one in planted)
    percent = 100.0 * count / len(planted) if planted else 0.0
    print(f"{name:14} {count:3} of {len(planted):3} caught  {percent:5.1f} %")
    return percent


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 70 else line[:69] + "…"


if __name__ == "__main__":
    sys.exit(main())
