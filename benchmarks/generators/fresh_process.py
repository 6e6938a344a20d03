"""A suite in a fresh process of the subject's environment: outcomes from pytest, coverage from coverage.py."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .environments import Environment
from .sources import Source
from .tools.generated import complaint
from .watched import Watched, run_watched

_TEST_SECONDS = 60
_WALL_SECONDS = 600.0
_TRIES = 4


@dataclass(frozen=True)
class Coverage:
    """Of the module's file. `line` and `branch` are percentages; a file without branches has `branch` 100."""

    statements: int
    covered: int
    branches: int
    covered_branches: int

    @property
    def line(self) -> float:
        """Statements that were run."""
        return round(100.0 * self.covered / self.statements, 2) if self.statements else 100.0

    @property
    def branch(self) -> float:
        """Branches that were taken."""
        return round(100.0 * self.covered_branches / self.branches, 2) if self.branches else 100.0

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "line": self.line,
            "branch": self.branch,
            "statements": self.statements,
            "covered": self.covered,
            "branches": self.branches,
            "covered_branches": self.covered_branches,
        }


@dataclass(frozen=True)
class Judged:
    """What came of a suite.

    Attributes:
        coverage: by the tests that pass or fail as expected; None where it could not be measured.
        outcomes: `passed`, `failed`, `xfailed` or `skipped` by node id, as of the first run; a file that cannot be
            collected is one that failed.
        unsteady: tests that passed first and failed once those were left out that fail.
        complaint: what went wrong, where it did.
    """

    coverage: Coverage | None
    outcomes: dict[str, str]
    unsteady: tuple[str, ...] = ()
    complaint: str = ""


class FreshProcess:
    """Runs suites of one subject."""

    def __init__(self, source: Source, environment: Environment, memory_mib: int) -> None:
        self._source = source
        self._environment = environment
        self._memory_mib = memory_mib

    def imports_only(self, root: Path) -> Coverage | None:
        """Coverage by importing the module, and nothing else; None where that fails."""
        script = root / "bench_imports.py"
        script.write_text(f"import {self._source.subject.module}\n")
        done = self._run(root, [*self._measuring(root), str(script)])
        return self._coverage(root) if done.exit_code == 0 else None

    def judge(self, root: Path, paths: Sequence[str]) -> Judged:
        """Run the test files `paths` of the project at `root`, then again with coverage without what failed."""
        first, done = self._tests(root, paths, ())
        if not first:
            return Judged(None, {}, complaint=complaint(done.exit_code, done.output))
        failing = sorted(nodeid for nodeid, outcome in first.items() if outcome == "failed")
        left_out = list(failing)
        outcomes: dict[str, str] = {}
        for _ in range(_TRIES):
            outcomes, done = self._tests(root, paths, left_out, measure=True)
            worse = sorted(nodeid for nodeid, outcome in outcomes.items() if outcome == "failed")
            if not worse:
                break
            left_out += worse
        unsteady = tuple(sorted(set(left_out) - set(failing)))
        coverage = self._coverage(root) if outcomes else None
        return Judged(coverage, first, unsteady, "" if coverage else complaint(done.exit_code, done.output))

    def _tests(
        self, root: Path, paths: Sequence[str], left_out: Sequence[str], *, measure: bool = False
    ) -> tuple[dict[str, str], Watched]:
        record = root / "bench_junit.xml"
        record.unlink(missing_ok=True)
        command = self._measuring(root) if measure else [str(self._environment.python)]
        command += ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(root)]
        command += ["-o", "junit_family=xunit1", "--junitxml", str(record), "--continue-on-collection-errors"]
        command += ["--timeout", str(_TEST_SECONDS), *(f"--deselect={nodeid}" for nodeid in left_out)]
        done = self._run(root, [*command, *paths])
        return read_outcomes(record.read_text()) if record.is_file() else {}, done

    def _measuring(self, root: Path) -> list[str]:
        data = f"--data-file={root / 'bench.coverage'}"
        include = f"--include={root / self._source.path}"
        return [
            *(str(self._environment.python), "-m", "coverage", "run", "--branch"),
            *(f"--rcfile={os.devnull}", data, include),
        ]

    def _coverage(self, root: Path) -> Coverage | None:
        told = root / "bench_coverage.json"
        told.unlink(missing_ok=True)
        command = [str(self._environment.python), "-m", "coverage", "json", "-q", f"--rcfile={os.devnull}"]
        self._run(root, [*command, f"--data-file={root / 'bench.coverage'}", "-o", str(told)])
        if not told.is_file():
            return None
        totals = json.loads(told.read_text())["totals"]
        names = ("num_statements", "covered_lines", "num_branches", "covered_branches")
        return Coverage(*(int(totals[name]) for name in names))

    def _run(self, root: Path, command: Sequence[str]) -> Watched:
        return run_watched(
            command,
            cwd=root,
            environment={
                **os.environ,
                "PYTHONPATH": str(root / self._source.import_root),
                "PYTHONHASHSEED": "0",
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            wall_seconds=_WALL_SECONDS,
            memory_mib=self._memory_mib,
            memory=False,
        )


def read_outcomes(junit: str) -> dict[str, str]:
    """Outcomes by node id, from a record in JUnit's form with the attribute `file`."""
    outcomes: dict[str, str] = {}
    for case in ElementTree.fromstring(junit).iter("testcase"):
        outcomes[_nodeid(case)] = _outcome(case)
    return outcomes


def _nodeid(case: ElementTree.Element) -> str:
    path = case.get("file", "")
    name = case.get("name", "")
    if not path:
        return name
    module = path.removesuffix(".py").replace("/", ".")
    inner = case.get("classname", "").removeprefix(module).strip(".")
    return "::".join([path, *(inner.split(".") if inner else ()), name])


def _outcome(case: ElementTree.Element) -> str:
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    skipped = case.find("skipped")
    if skipped is None:
        return "passed"
    return "xfailed" if skipped.get("type") == "pytest.xfail" else "skipped"
