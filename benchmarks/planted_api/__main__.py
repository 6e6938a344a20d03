"""Plants faults in copies of web applications, one at a time, and tells which of them their API tests notice.

    make bench-planted-api
    python -m testwright.benchmarks.planted_api --only desk --count 20 --seed 2
    python -m testwright.benchmarks.planted_api --project ../shop --application shop.api:app --script exercise.py

Faults are drawn with a seed from all that the operator (`operators.py`) finds in the code: a status changed, a filter
ignored, a check removed, and so on. Each is tried with requests that a person wrote (`behaviour.py`); one that
changes no answer is set aside as equivalent, and one with which the application does not start as broken: any test
notices that. The kept tests are run by plain pytest, to the first failure.
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
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .operators import Fault, drawn, faults_in, models_answered

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
RESULTS = CHECKOUT / "benchmarks" / "results"
_SECONDS = 300
_GENERATING_SECONDS = 3600
_MEASURED = (0, 8)
"""Exit codes of a run whose tests are measured: all of the plan was done, or it was and a defect is suspected."""
_SUITE = "tests/generated"


@dataclass(frozen=True)
class Subject:
    """An application to plant in.

    Attributes:
        project: its root, which is copied.
        root: the folder in it that modules are imported from.
        application: `package.module:attribute`.
        script: the requests by which a fault shows.
        environment: its variables.
        request: what testwright is asked for.
    """

    name: str
    project: Path
    root: str
    application: str
    script: Path
    request: str
    environment: dict[str, str] = field(default_factory=dict)


_PLANTED = CHECKOUT / "benchmarks" / "planted"
SUBJECTS = (
    Subject(
        "desk",
        _PLANTED / "desk",
        "src",
        "desk.main:app",
        _PLANTED / "desk" / "exercise.py",
        "API tests for src/desk/main.py",
        {
            "DESK_ADMIN": "admin@example.com",
            "DESK_ADMIN_PASSWORD": "let-me-in-123",
            "DESK_SECRET": "a-secret-for-trying-it-out-0123456789",
        },
    ),
    Subject(
        "ledger",
        _PLANTED / "ledger",
        "src",
        "ledger.api:app",
        _PLANTED / "ledger" / "exercise.py",
        "API tests for src/ledger/api.py",
    ),
)


@dataclass
class Outcome:
    """What became of one subject: seconds to generate, kept tests and operations, and the faults."""

    subject: str
    seconds: float
    tests: int
    caught: list[Fault] = field(default_factory=list)
    missed: list[Fault] = field(default_factory=list)
    equivalent: list[Fault] = field(default_factory=list)
    broken: list[Fault] = field(default_factory=list)

    @property
    def percent(self) -> float:
        planted = len(self.caught) + len(self.missed)
        return 100.0 * len(self.caught) / planted if planted else 0.0


def main() -> int:
    """Measure, print, write, and exit with 1 when fewer than `--least` percent are caught in any subject."""
    arguments = _arguments()
    outcomes = [_measured(subject, arguments) for subject in _chosen(arguments)]
    text = _markdown(outcomes, arguments)
    print(text)
    if arguments.out is not None:
        arguments.out.write_text(text, encoding="utf-8")
    return 0 if all(outcome.percent >= arguments.least for outcome in outcomes) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", help="name of a subject; all without")
    parser.add_argument("--count", type=int, default=20, help="how many faults that change an answer, in each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=float, default=0.0, help="percentage that must be caught")
    parser.add_argument("--generated", type=Path, help="a copy that has tests already, in place of generating them")
    parser.add_argument("--out", type=Path, help="file for the table, such as benchmarks/results/planted_api.md")
    parser.add_argument("--project", type=Path, help="another project, with --application and --script")
    parser.add_argument("--application", default="", help="`package.module:attribute` of it")
    parser.add_argument("--script", type=Path, help="the requests by which faults in it show")
    parser.add_argument("--root", default="src", help="folder in it that modules are imported from")
    parser.add_argument("--request", default="API tests of the project", help="what to ask for")
    parser.add_argument("--env", action="append", default=[], help="NAME=VALUE for it")
    arguments = parser.parse_args()
    if arguments.project is not None and not (arguments.application and arguments.script):
        parser.error("--project needs --application and --script")
    return arguments


def _chosen(arguments: argparse.Namespace) -> Sequence[Subject]:
    if arguments.project is not None:
        variables = dict(pair.split("=", 1) for pair in arguments.env)
        project, script = arguments.project.resolve(), arguments.script.resolve()
        return [
            Subject(project.name, project, arguments.root, arguments.application, script, arguments.request, variables)
        ]
    return [subject for subject in SUBJECTS if not arguments.only or subject.name in arguments.only]


def _measured(subject: Subject, arguments: argparse.Namespace) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="planted-api-") as folder:
        project = Path(folder) / subject.project.name
        left_out = shutil.ignore_patterns(".testwright", "__pycache__", ".git", ".venv")
        shutil.copytree(arguments.generated or subject.project, project, ignore=left_out)
        began = time.monotonic()
        if arguments.generated is None:
            _generate(subject, project)
        seconds = time.monotonic() - began
        try:
            first = _suite(subject, project)
        except subprocess.TimeoutExpired:
            sys.exit(f"the tests of {subject.name} as it is take longer than {_SECONDS} s")
        if first.returncode != 0:
            sys.exit(f"the tests do not pass on {subject.name} as it is:\n{first.stdout[-3000:]}{first.stderr[-1000:]}")
        tests = sum(_tests_in(path) for path in (project / _SUITE).rglob("test_*.py"))
        outcome = Outcome(subject.name, seconds, tests)
        _plant(subject, project, outcome, arguments)
        return outcome


def _plant(subject: Subject, project: Path, outcome: Outcome, arguments: argparse.Namespace) -> None:
    usual = _behaviour(subject, project)
    if usual != _behaviour(subject, project) or '"error"' in usual:
        sys.exit(f"what {subject.name} answers to {subject.script} is no two times the same:\n{usual[-1000:]}")
    for fault in drawn(_faults(subject, project), arguments.seed):
        if len(outcome.caught) + len(outcome.missed) >= arguments.count:
            return
        place = project / fault.path
        original = place.read_text(encoding="utf-8")
        place.write_text(fault.source, encoding="utf-8")
        try:
            answers = _behaviour(subject, project)
            if answers == usual:
                outcome.equivalent.append(fault)
                word = "no change"
            elif answers_nothing(answers):
                outcome.broken.append(fault)
                word = "broken"
            else:
                caught = _is_caught(subject, project)
                (outcome.caught if caught else outcome.missed).append(fault)
                word = "caught" if caught else "MISSED"
        finally:
            place.write_text(original, encoding="utf-8")
        print(f"{word:9} {fault.kind:30} {fault.path}:{fault.line} {fault.where}\n          {fault.before}")
        print(f"          {fault.after}", flush=True)


def _faults(subject: Subject, project: Path) -> list[Fault]:
    texts = {
        path.relative_to(project).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((project / subject.root).rglob("*.py"))
        if not path.name.startswith("test_")
    }
    answered = frozenset[str]().union(*(models_answered(ast.parse(text)) for text in texts.values()))
    return [fault for path, text in texts.items() for fault in faults_in(text, path, answered)]


def _environment(subject: Subject, project: Path) -> dict[str, str]:
    return {
        **os.environ,
        **subject.environment,
        "PYTHONPATH": str(project / subject.root),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _behaviour(subject: Subject, project: Path) -> str:
    command = [sys.executable, str(HERE / "behaviour.py"), str(project / subject.root), subject.application]
    # What the application keeps in files begins anew each time.
    with tempfile.TemporaryDirectory(prefix="planted-exercise-") as folder:
        try:
            done = subprocess.run(
                [*command, str(subject.script)],
                cwd=folder,
                env=_environment(subject, project),
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "it hangs"
    return done.stdout or done.stderr[-1000:]


def answers_nothing(answers: str) -> bool:
    """Whether the application does not even start, by what `behaviour.py` prints: any test notices such a fault."""
    try:
        told = json.loads(answers)
    except ValueError:
        # The process ended without an answer, or hangs.
        return False
    return len(told) == 1 and told[0][0] == "error"


def _suite(subject: Subject, project: Path) -> subprocess.CompletedProcess[str]:
    """Run the kept tests once, to the first failure, by plain pytest."""
    command = [sys.executable, "-m", "pytest", _SUITE, "-q", "-x", "-p", "no:cacheprovider"]
    environment = _environment(subject, project)
    return subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, timeout=_SECONDS, check=False
    )


def _is_caught(subject: Subject, project: Path) -> bool:
    try:
        return _suite(subject, project).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def _generate(subject: Subject, project: Path) -> None:
    command = [sys.executable, str(CHECKOUT / "main.py"), "run", subject.request, "--root", str(project)]
    try:
        done = subprocess.run(
            [*command, "--run-id", "planted", "--trust-project"],
            env={**os.environ, **subject.environment},
            capture_output=True,
            text=True,
            timeout=_GENERATING_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        sys.exit(f"tests for {subject.name} were not generated within {_GENERATING_SECONDS} s")
    print(done.stdout.strip())
    if done.returncode not in _MEASURED:
        sys.exit(f"the run for {subject.name} ended with {done.returncode}: {done.stderr[-2000:]}")
    if not any((project / _SUITE).rglob("test_*.py")):
        sys.exit(done.stderr or "no tests were kept")


def _tests_in(path: Path) -> int:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return sum(isinstance(node, ast.FunctionDef) and node.name.startswith("test") for node in ast.walk(tree))


def _markdown(outcomes: Sequence[Outcome], arguments: argparse.Namespace) -> str:
    lines = [f"Seed {arguments.seed}, {arguments.count} faults that change an answer in each application.", ""]
    lines += [
        "| application | test functions | made in | planted | caught | | equivalent | broken |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in outcomes:
        planted = len(one.caught) + len(one.missed)
        made = f"{one.seconds:.0f} s" if one.seconds > 1 else "before"
        aside = (len(one.equivalent), len(one.broken))
        numbers = (one.tests, made, planted, len(one.caught), f"{one.percent:.0f} %", *aside)
        lines.append(f"| {one.subject} | " + " | ".join(map(str, numbers)) + " |")
    caught = Counter(fault.kind for one in outcomes for fault in one.caught)
    missed = Counter(fault.kind for one in outcomes for fault in one.missed)
    lines += ["", "| kind | planted | caught |", "|---|---|---|"]
    lines += [f"| {kind} | {caught[kind] + missed[kind]} | {caught[kind]} |" for kind in sorted({*caught, *missed})]
    every: list[Any] = [fault for one in outcomes for fault in one.missed]
    if every:
        lines += ["", "Missed:", ""]
        lines += [f"- {fault.kind}, `{fault.path}` line {fault.line}: `{fault.after}`" for fault in every]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
