"""One step of a GitHub workflow: inputs, a run, and what the runner is told of it."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from ...app.github.workflow_event import may_bring_foreign_code
from ...config.settings import Settings, load_settings
from ...core.errors import InterpreterError, SandboxUnavailable, TestwrightError, UsageError
from ...core.events import Event, EventType
from ...core.exit_code import ExitCode
from ...core.outcome import ExitReason, reason_without_report
from ...reports.model import Report
from ...sandbox.opening import open_sandbox
from ...store.files.files import make_folder, write_file
from ...store.files.run_folder import RunFolder, new_run_id
from ...utils.redact import Redactor, is_secret_name
from ..asking import with_strictness
from .annotations import annotations_of
from .event_base import base_of
from .inputs import ActionInputs, project_folder, read_inputs
from .summary import CodePages, failure_summary, percent, summary_of
from .workflow_commands import (
    Annotation,
    annotation_line,
    commands_stopped,
    file_of,
    mask_line,
    plain_line,
    write_outputs,
    write_summary,
)

if TYPE_CHECKING:
    from ...app.run_report import RunResult

_FINE = frozenset({ExitReason.COMPLETED, ExitReason.NOTHING_TO_DO, ExitReason.PRODUCT_DEFECT})

_FILES = ("report.md", "report.html", "report.json", "junit.xml", "plan.json", "events.jsonl")
_FOLDERS = ("specs", "staged")

_SANDBOX_ADVICE = """In a step before testwright:
  sudo apt-get update && sudo apt-get install -y bubblewrap
  sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0
In a container job give the container `options: --privileged`. Or say `sandbox: weak`, which holds back neither C code \
nor child programs."""
_ENVIRONMENTS = (".venv", "venv", "env")


@dataclass(frozen=True, slots=True)
class ActionStep:
    """What the runner gives a step.

    Attributes:
        environment: its variables.
        log: where it prints; the runner follows commands in it.
        outputs, summary: files it adds to. workspace, temporary: folders.
    """

    environment: Mapping[str, str]
    log: TextIO
    outputs: Path
    summary: Path
    workspace: Path
    temporary: Path

    @classmethod
    def of(cls, environment: Mapping[str, str], log: TextIO) -> ActionStep:
        """The step this process is. Raises UsageError when it is none."""
        outputs, summary = file_of(environment, "GITHUB_OUTPUT"), file_of(environment, "GITHUB_STEP_SUMMARY")
        workspace, temporary = file_of(environment, "GITHUB_WORKSPACE"), file_of(environment, "RUNNER_TEMP")
        return cls(environment, log, outputs, summary, workspace, temporary)

    def say(self, line: str) -> None:
        """Print a line at once."""
        self.log.write(f"{line}\n")
        self.log.flush()


def github_step(environment: Mapping[str, str], log: TextIO) -> int:
    """Do what the workflow asks for, and tell the runner of it.

    Args:
        environment: INPUT_<NAME> for each input, and what GitHub sets for a step.
        log: the step's output.

    Returns:
        The exit code: 0, or what `fail-on` makes of the run; the error's own where no run could be made.

    Raises:
        UsageError: this is no step of a GitHub workflow.
    """
    step = ActionStep.of(environment, log)
    for secret in sorted(_keys(environment)):
        step.say(mask_line(secret))
    try:
        inputs = read_inputs(environment)
        if not inputs.request:
            raise UsageError("The input `request` is empty.", advice='Say what to test: "unit tests for src/shop".')
        return _done(step, inputs)
    except TestwrightError as error:
        return _failed(step, error)
    except Exception as error:  # noqa: BLE001 - whatever it is, the workflow has to be told where a person looks
        advice = "This is a fault of testwright's own: report it, with this message."
        return _failed(step, TestwrightError(f"{type(error).__name__}: {error}", advice=advice))


def _done(step: ActionStep, inputs: ActionInputs) -> int:
    from ...app import runs  # takes a second, in which a wrong input is told already

    root = project_folder(inputs, step.workspace)
    settings = _settings(step, inputs, root)
    sandbox = open_sandbox(settings.sandbox).kind if settings.run else "none"
    step.say(f"Sandbox in force: {sandbox}")
    if sandbox == "weak":
        advice = "C code and child programs are not held back, because `sandbox: weak` was said."
        step.say(annotation_line(Annotation("warning", "testwright: weak sandbox", advice)))
    if settings.changed_since:
        step.say(plain_line(f"Limited to what changed since {settings.changed_since}"))
    log = _Log(step)
    with commands_stopped(step.log):
        ended = asyncio.run(runs.run(inputs.request, settings, on_event=log))
    return _told(step, inputs, settings, ended)


def _settings(step: ActionStep, inputs: ActionInputs, root: Path) -> Settings:
    said = {
        "root": root,
        "state_dir": step.temporary / "testwright" / "state",
        "python": target_python(inputs.python, root, step.environment),
        **inputs.settings,
    }
    said.setdefault("run_id", new_run_id())
    if may_bring_foreign_code(step.environment):
        said["trust_project"] = False  # consent was given to the repository, not to whoever opens a pull request
    if inputs.changed_only:
        said["changed_since"] = inputs.changed_since or base_of(root, step.environment)
    return with_strictness(load_settings(said), step.environment)


def target_python(said: str, root: Path, environment: Mapping[str, str]) -> Path | None:
    """The target's interpreter: the one given, else the project's or the active environment, else the workflow's.

    testwright has an environment of its own in the Action, so what is meant by none is not that one but what the
    workflow has set up: `python3` on the path.

    Raises:
        InterpreterError: the one given is not there.
    """
    if said:
        found = shutil.which(said, path=environment.get("PATH"))
        if found is None:
            raise InterpreterError(
                f"The input `python` names {said!r}, which is no program here.", advice="See `python`."
            )
        return Path(found).absolute()
    if any((root / name / "pyvenv.cfg").is_file() for name in _ENVIRONMENTS):
        return None
    if environment.get("VIRTUAL_ENV") or environment.get("CONDA_PREFIX"):
        return None
    found = shutil.which("python3", path=environment.get("PATH")) or shutil.which(
        "python", path=environment.get("PATH")
    )
    return Path(found).absolute() if found else None


def _told(step: ActionStep, inputs: ActionInputs, settings: Settings, ended: RunResult) -> int:
    """Outputs, summary, annotations and the report's folder; the step's exit code."""
    report, below = ended.report, settings.root.resolve().relative_to(step.workspace.resolve()).as_posix()
    verdict = verdict_on(report, inputs.fail_on)
    run = RunFolder(settings.state, report.run.id)
    folder = step.temporary / "testwright" / "reports" / run.run_id
    report_path = fill_report_folder(run, folder, diff=ended.diff)
    values = report_outputs(report) | {
        "failed-on": " ".join(verdict.failed_on),
        "report-path": str(report_path),
        "report-folder": str(folder),
    }
    write_outputs(step.outputs, values)
    if inputs.job_summary:
        pages = CodePages.of(step.environment, below)
        base = settings.changed_since or ""
        write_summary(step.summary, summary_of(report, failed_on=verdict.failed_on, base=base, where=pages))
    if inputs.annotations:
        for annotation in annotations_of(report, below, defects_fail="defects" in verdict.failed_on):
            step.say(annotation_line(annotation))
    totals = report.totals
    counts = f"{totals.kept} kept, {totals.dropped} dropped, {totals.suspected_defects} suspected defects"
    step.say(f"{report.exit_reason.value}: {counts}; report in {folder}")
    if verdict.failed_on:
        step.say(f"The step fails on {', '.join(verdict.failed_on)} (input fail-on).")
    return verdict.exit_code


def report_outputs(report: Report) -> dict[str, str]:
    """The Action's outputs that the report alone decides."""
    totals = report.totals
    before, after = totals.coverage.before, totals.coverage.after
    counts = {
        "targets": totals.targets,
        "targets-failed": totals.targets_failed,
        "kept": totals.kept,
        "dropped": totals.dropped,
        "suspected-defects": totals.suspected_defects,
        "not-reached": totals.not_reached,
    }
    return {
        "run-id": report.run.id,
        "exit-reason": report.exit_reason.value,
        "exit-code": str(report.exit_code),
        **{name: str(number) for name, number in counts.items()},
        "coverage-before": percent(before, "statements"),
        "coverage-after": percent(after, "statements"),
        "branch-coverage-before": percent(before, "branches"),
        "branch-coverage-after": percent(after, "branches"),
        "test-files": "\n".join(file.path for file in report.files),
        "sandbox": report.run.sandbox,
    }


def _failed(step: ActionStep, error: TestwrightError) -> int:
    """Tell of a run that could not be made."""
    redact = Redactor.from_environment(step.environment).text
    advice = _SANDBOX_ADVICE if isinstance(error, SandboxUnavailable) else redact(error.advice)
    message = redact(error.message)
    reason = reason_without_report(error).value
    write_outputs(step.outputs, {"exit-reason": reason, "exit-code": str(int(error.exit_code)), "failed-on": reason})
    write_summary(step.summary, failure_summary(message, advice))
    step.say(annotation_line(Annotation("error", "testwright", "\n".join(filter(None, (message, advice))))))
    return int(error.exit_code) or int(ExitCode.INTERNAL)


def _keys(environment: Mapping[str, str]) -> set[str]:
    """What must not be shown: values of variables that are named like secrets, each line for itself."""
    values = (value for name, value in environment.items() if is_secret_name(name))
    lines = (line.strip() for value in values for line in value.splitlines())
    return {line for line in lines if len(line) >= 8 and not line.startswith("-----")}


@dataclass(slots=True)
class _Log:
    """The run's events as lines of the log."""

    step: ActionStep
    _began: float = field(default_factory=time.monotonic)

    def __call__(self, event: Event) -> None:
        shown = (EventType.PLAN_READY, EventType.STEP_ENDED, EventType.DEFECT_SUSPECTED, EventType.ERROR)
        if event.type in shown or "warning" in event.data:
            self.step.say(plain_line(f"{time.monotonic() - self._began:6.1f}s {event.message}"))


def fill_report_folder(run: RunFolder, into: Path, *, diff: str) -> Path:
    """Copy what a run made for people and programs.

    Args:
        into: a new folder, or one of the same run, which is replaced.
        diff: what accepting the tests would change, on a dry run; kept as `tests.patch`, for `git apply`.

    Returns:
        The report for people: `report.md`. Beside it stand `report.html`, `report.json`, `junit.xml`, `plan.json`,
        `events.jsonl`, `specs/` and `staged/`, the test files at their paths in the project.

    Raises:
        StorageError, StoreFull: it cannot be written.
    """
    shutil.rmtree(into, ignore_errors=True)
    make_folder(into)
    for name in _FILES:
        if (run.path / name).is_file():
            shutil.copyfile(run.path / name, into / name)
    for name in _FOLDERS:
        if (run.path / name).is_dir():
            shutil.copytree(run.path / name, into / name)
    if diff:
        write_file(into / "tests.patch", diff)
    return into / "report.md"


@dataclass(frozen=True, slots=True)
class ActionVerdict:
    """How the step ends.

    Attributes:
        failed_on: the words of `fail-on` that hold, in their order; empty when the step succeeds.
        exit_code: the step's exit code.
    """

    failed_on: tuple[str, ...]
    exit_code: int


def verdict_on(report: Report, fail_on: Set[str]) -> ActionVerdict:
    """Judge a report.

    - `defects`: a defect is suspected (exit code 8)
    - `failures`: a part of the plan failed, nothing was kept, or a ceiling ended the run (the run's own exit code)
    - `dropped`: a test was dropped (5)
    - `not-understood`: a part of the request meant nothing (2)
    """
    totals = report.totals
    failed = totals.targets_failed > 0 or report.exit_reason not in _FINE
    conditions = (
        ("defects", totals.suspected_defects > 0, ExitCode.PRODUCT_DEFECT),
        ("failures", failed, report.exit_code or ExitCode.PARTIAL),
        ("dropped", totals.dropped > 0, ExitCode.NOTHING_KEPT),
        ("not-understood", bool(report.not_understood), ExitCode.USAGE),
    )
    held = [(word, int(code)) for word, holds, code in conditions if holds and word in fail_on]
    return ActionVerdict(tuple(word for word, _ in held), held[0][1] if held else int(ExitCode.OK))
