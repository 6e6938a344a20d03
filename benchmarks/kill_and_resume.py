"""Kills a run at random moments, resumes it, and compares what it comes to with a run that nobody disturbed.

    python benchmarks/kill_and_resume.py --kills 10 --seed 1

Every kill is a `kill -9` of the real command on a fresh copy of the project, when as many events were written as the
dice say; some runs are killed again while they are resumed. A table tells, for each, where it died and whether plan,
specs, tests and report are the same bytes, whether finished work was done twice, and whether a process is left.
Exits 1 when anything differs.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from testwright.tests.support.projects.files import ROOT, run_command, tree
from testwright.tests.support.runs.comparison import report_of, run_folder, work_of
from testwright.tests.support.runs.interrupted import (
    await_event,
    await_nobody,
    events_of,
    repeated_work,
    started_command,
)

RUN = "measured"


@dataclass(frozen=True, slots=True)
class Row:
    """One disturbed run."""

    number: int
    died_at: str
    same_files: bool
    same_report: bool
    repeated: int
    left_over: bool

    @property
    def good(self) -> bool:
        """Whether nothing tells it from an undisturbed one."""
        return self.same_files and self.same_report and not self.repeated and not self.left_over


def main() -> int:
    """Measure and print; the exit code."""
    given = _arguments()
    dice = random.Random(given.seed)
    with tempfile.TemporaryDirectory(prefix="kill-and-resume-") as name:
        place = Path(name)
        reference = _copy(given.project, place / "undisturbed")
        done = run_command(*_run(given, reference), cwd=place)
        events = len(events_of(run_folder(reference, RUN)))
        print(f"undisturbed: exit {done.code}, {events} events, {len(tree(reference))} files", flush=True)
        rows = []
        for number in range(1, given.kills + 1):
            moments = [dice.randint(1, events - 1) for _ in range(dice.choice((1, 1, 2)))]
            root = _copy(given.project, place / f"killed-{number}")
            rows.append(_disturbed(number, root, reference, moments, given))
            print(_line(rows[-1]), flush=True)
            shutil.rmtree(root)
    good = sum(row.good for row in rows)
    print(f"\n{good} of {len(rows)} killed runs came to the same end as the undisturbed one (seed {given.seed})")
    return 0 if good == len(rows) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--trials", type=int, default=300)
    parser.add_argument("--project", type=Path, default=ROOT / "examples" / "shop")
    parser.add_argument("--request", default="unit tests for the whole project")
    return parser.parse_args()


def _copy(project: Path, into: Path) -> Path:
    return shutil.copytree(project, into, ignore=shutil.ignore_patterns(".testwright", "generated", "__pycache__"))


def _run(given: argparse.Namespace, root: Path) -> tuple[str, ...]:
    return ("run", given.request, "--root", str(root), "--run-id", RUN, "--trials", str(given.trials))


def _disturbed(number: int, root: Path, reference: Path, moments: list[int], given: argparse.Namespace) -> Row:
    folder, died = run_folder(root, RUN), []
    command = _run(given, root)
    for moment in moments:
        seen = len(events_of(folder))
        wanted = seen + moment

        def reached(event: Mapping[str, Any], wanted: int = wanted) -> bool:
            return event["sequence"] >= wanted

        with started_command(*command, cwd=root.parent) as process:
            if await_event(process, folder, reached):
                process.kill()
            process.wait()
        events = events_of(folder)
        died.append("after its end" if events[-1]["type"] == "complete" else events[-1]["message"])
        command = ("resume", RUN, "--root", str(root))
    run_command("resume", RUN, "--root", str(root), cwd=root.parent)
    other = run_folder(reference, RUN)
    return Row(
        number,
        ", then ".join(died),
        tree(root) == tree(reference) and work_of(folder) == work_of(other),
        report_of(folder) == report_of(other),
        len(repeated_work(folder)),
        not await_nobody(root),
    )


def _line(row: Row) -> str:
    files = "same files" if row.same_files else "FILES DIFFER"
    report = "same report" if row.same_report else "REPORT DIFFERS"
    again = f"{row.repeated} DONE TWICE" if row.repeated else "nothing twice"
    left = "PROCESS LEFT" if row.left_over else "no process left"
    return f"{row.number:3}  {files:12}  {report:14}  {again:13}  {left:15}  killed at: {row.died_at}"


if __name__ == "__main__":
    sys.exit(main())
