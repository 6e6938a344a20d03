"""A suite in a fresh process of the subject's environment: outcomes from pytest, coverage from coverage.py."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .environments import Environment
from .sources import Source
from .tools.generated import complaint
from .watched import Watched, run_watched

_TEST_SECONDS = 30
_WALL_SECONDS = 600.0
_TRIES = 4
_RESTARTS = 20
_PLUGIN = Path(__file__).parent / "plugin"


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
        outcomes: `passed`, `failed`, `xfailed` or `skipped` by node id. What does not end in its time, or ends the
            process, has failed, and so has a file that cannot be collected.
        unsteady: tests that passed first and failed once those were left out that fail.
        complaint: what went wrong, where it did.
    """

    coverage: Coverage | None
    outcomes: dict[str, str]
    unsteady: tuple[str, ...] = ()
    complaint: str = ""


@dataclass(frozen=True)
class Record:
    """Outcomes by node id, and whether the run came to its end."""

    outcomes: dict[str, str]
    ended: bool


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
        outcomes, complaints = self._all_outcomes(root, paths)
        failing = {nodeid for nodeid, outcome in outcomes.items() if outcome == "failed"}
        left_out = set(failing)
        if failing == outcomes.keys():
            return Judged(None, outcomes, complaint=f"none of its tests passes, {complaints}")
        for _ in range(_TRIES):
            again, done = self._tests(root, paths, left_out, measure=True)
            worse = {nodeid for nodeid, outcome in again.outcomes.items() if outcome == "failed"}
            left_out |= worse
            if again.ended and not worse:
                coverage = self._coverage(root)
                unsteady = tuple(sorted(left_out - failing))
                return Judged(coverage, outcomes, unsteady, "" if coverage else complaint(done.exit_code, done.output))
        return Judged(None, outcomes, complaint="what passes alone does not come to an end without what fails")

    def outcomes(self, root: Path, paths: Sequence[str], more: Mapping[str, str] | None = None) -> dict[str, str]:
        """The outcome of every test of the files `paths`, by node id, with `more` variables in the environment."""
        return self._all_outcomes(root, paths, more)[0]

    def lines_by_test(self, root: Path, paths: Sequence[str], left_out: Iterable[str]) -> dict[str, set[int]]:
        """Which lines of the module each test runs, by node id, with the tests `left_out` deselected."""
        self._tests(root, paths, left_out, measure=True, more={"BENCH_CONTEXTS": "1"})
        told = self._told(root, "--show-contexts")
        found: dict[str, set[int]] = {}
        for file in (told or {"files": {}})["files"].values():
            for line, nodeids in file["contexts"].items():
                for nodeid in filter(None, nodeids):
                    found.setdefault(nodeid, set()).add(int(line))
        return found

    def _all_outcomes(
        self, root: Path, paths: Sequence[str], more: Mapping[str, str] | None = None
    ) -> tuple[dict[str, str], str]:
        """The outcome of every test; what does not end in its time, or ends the process, has failed."""
        record, done = self._tests(root, paths, (), more=more)
        outcomes = dict(record.outcomes)
        for _ in range(_RESTARTS):
            if record.ended or not record.outcomes:
                break
            record, done = self._tests(root, paths, outcomes, more=more)
            outcomes |= record.outcomes
        return outcomes, complaint(done.exit_code, done.output)

    def _tests(
        self,
        root: Path,
        paths: Sequence[str],
        left_out: Iterable[str],
        *,
        measure: bool = False,
        more: Mapping[str, str] | None = None,
    ) -> tuple[Record, Watched]:
        journal = root / "bench_journal.jsonl"
        journal.unlink(missing_ok=True)
        command = self._measuring(root) if measure else [str(self._environment.python)]
        command += ["-m", "pytest", "-q", "-p", "bench_journal", "-p", "no:cacheprovider"]
        command += ["-c", os.devnull, "--rootdir", str(root), "--continue-on-collection-errors"]
        command += ["--timeout", str(_TEST_SECONDS), "--timeout-method", "thread"]
        files = [one for one in paths if one not in left_out]
        more = {**(more or {}), "BENCH_JOURNAL": str(journal)}
        if any("hypothesis" in (root / path).read_text(encoding="utf-8") for path in paths):
            more["BENCH_NO_DEADLINE"] = "1"
        done = self._run(root, [*command, *(f"--deselect={one}" for one in sorted(left_out)), *files], more)
        return read_journal(journal.read_text() if journal.is_file() else ""), done

    def _measuring(self, root: Path) -> list[str]:
        data = f"--data-file={root / 'bench.coverage'}"
        include = f"--include={root / self._source.path}"
        return [
            *(str(self._environment.python), "-m", "coverage", "run", "--branch"),
            *(f"--rcfile={os.devnull}", data, include),
        ]

    def _coverage(self, root: Path) -> Coverage | None:
        told = self._told(root)
        if told is None:
            return None
        totals = told["totals"]
        names = ("num_statements", "covered_lines", "num_branches", "covered_branches")
        return Coverage(*(int(totals[name]) for name in names))

    def _told(self, root: Path, *options: str) -> dict[str, Any] | None:
        """The report of coverage.py on its last run, as JSON; None where there is none."""
        told = root / "bench_coverage.json"
        told.unlink(missing_ok=True)
        command = [str(self._environment.python), "-m", "coverage", "json", "-q", f"--rcfile={os.devnull}", *options]
        self._run(root, [*command, f"--data-file={root / 'bench.coverage'}", "-o", str(told)])
        return json.loads(told.read_text()) if told.is_file() else None

    def _run(self, root: Path, command: Sequence[str], more: Mapping[str, str] | None = None) -> Watched:
        return run_watched(
            command,
            cwd=root,
            environment={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(root / self._source.import_root), str(_PLUGIN)]),
                **(more or {}),
                "PYTHONHASHSEED": "0",
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            wall_seconds=_WALL_SECONDS,
            memory_mib=self._memory_mib,
            memory=False,
        )


def read_journal(text: str) -> Record:
    """What the plugin wrote down, up to where the process ended; the test that it ended in has failed."""
    outcomes: dict[str, str] = {}
    running, ended = "", False
    for line in text.splitlines():
        try:
            word, nodeid = json.loads(line)
        except ValueError:
            continue
        if word == "end":
            ended = True
        elif word == "start":
            running = nodeid
        else:
            running = ""
            if outcomes.get(nodeid) != "failed":
                outcomes[nodeid] = word
    if running and not ended:
        outcomes[running] = "failed"
    return Record(outcomes, ended)
