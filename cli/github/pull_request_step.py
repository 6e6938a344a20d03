"""The step of a GitHub workflow that makes a pull request of a run's kept tests."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

from ...app.github.workflow_event import may_bring_foreign_code
from ...config.settings import load_settings
from ...core.errors import TestwrightError
from ...core.exit_code import ExitCode
from ...utils.redact import Redactor
from ...vcs.github.api import TOKEN_VARIABLES
from .inputs import folder_in_workspace, variable
from .workflow_commands import (
    Annotation,
    Level,
    annotation_line,
    file_of,
    mask_line,
    plain_line,
    write_outputs,
    write_summary,
)

OUTPUTS = ("pull-request-outcome", "pull-request-url", "pull-request-number")
_INPUTS = ("run-id", "working-directory", "pull-request-base", "pull-request-title")
_FORK = (
    "The workflow runs for a pull request from a fork, whose token may not write. The tests are in this run's "
    "artifact; in a clone, `testwright run` and `testwright pull-request` make the pull request."
)


def pull_request_step(environment: Mapping[str, str], log: TextIO) -> int:
    """Make the pull request, and tell the runner of it.

    Args:
        environment: INPUT_<NAME>, a token, and what GitHub sets for a step.
        log: the step's output.

    Returns:
        The exit code: 0 also where the event's code comes from a fork or the run kept nothing; else the error's own.

    Raises:
        UsageError: this is no step of a GitHub workflow.
    """
    outputs, summary = file_of(environment, "GITHUB_OUTPUT"), file_of(environment, "GITHUB_STEP_SUMMARY")
    workspace, temporary = file_of(environment, "GITHUB_WORKSPACE"), file_of(environment, "RUNNER_TEMP")
    for name in TOKEN_VARIABLES:
        if environment.get(name, "").strip():
            log.write(f"{mask_line(environment[name].strip())}\n")
    try:
        if may_bring_foreign_code(environment):
            return _skipped(outputs, log, _FORK, level="warning")
        return _made(environment, log, outputs, summary, workspace, temporary)
    except TestwrightError as error:
        redact = Redactor.from_environment(environment).text
        told = "\n".join(redact(text) for text in (error.message, error.advice) if text)
        log.write(f"{annotation_line(Annotation('error', 'testwright: no pull request', told))}\n")
        return int(error.exit_code) or int(ExitCode.INTERNAL)


def _made(
    environment: Mapping[str, str], log: TextIO, outputs: Path, summary: Path, workspace: Path, temporary: Path
) -> int:
    from ...app.github.pull_request import PullRequestOptions, kept_tests, pull_request  # takes a second

    given = {name: environment.get(variable(name), "").strip() for name in _INPUTS}
    root = folder_in_workspace(given["working-directory"] or ".", workspace)
    where = load_settings({"root": root, "state_dir": temporary / "testwright" / "state"})
    if not kept_tests(given["run-id"], where):
        return _skipped(outputs, log, "The run kept no tests, so there is nothing for a pull request.", level="notice")
    options = PullRequestOptions(base=given["pull-request-base"] or None, title=given["pull-request-title"] or None)
    done = asyncio.run(pull_request(given["run-id"], where, options, environment))
    assert done.result is not None  # it is no dry run
    values = (done.result.outcome, done.result.url, str(done.result.number or ""))
    write_outputs(outputs, dict(zip(OUTPUTS, values, strict=True)))
    said = f"Pull request {done.result.outcome}: {done.result.url or done.result.base + ' has these tests already'}"
    log.write(f"{plain_line(said)}\n")
    for path in done.result.left_alone:
        log.write(f"{plain_line(f'left alone, since a person has changed or removed it: {path}')}\n")
    if done.result.url:
        write_summary(summary, f"\nPull request {done.result.outcome}: {done.result.url}\n")
    return int(ExitCode.OK)


def _skipped(outputs: Path, log: TextIO, why: str, *, level: Level) -> int:
    write_outputs(outputs, {OUTPUTS[0]: "skipped"})
    log.write(f"{annotation_line(Annotation(level, 'testwright: no pull request', why))}\n")
    return int(ExitCode.OK)
