"""Runs the steps of a build in the sandbox, one after the other, on a fresh copy and without network."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from ...sandbox.protocol import Completed
from ...sandbox.snapshot import take_snapshot
from ...sandbox.target import PythonTarget, Workspace, to_the_end
from ...utils.untrusted_folders import remove_tree
from .error_output import without_colors
from .sandbox_program import LINKED, program_of
from .steps import BuildStep, StepResult

_NOT_FOUND = re.compile(
    r"(?:^|[\s/])([\w.+-]+): (?:command not found|not found|No such file or directory)\s*$|No module named '?([\w.]+)",
    re.MULTILINE,
)
_NO_NETWORK = re.compile(
    r"EAI_AGAIN|ENOTFOUND|ENETUNREACH|getaddrinfo|Temporary failure in name resolution|Network is unreachable"
)
_ON_NODE = (("-m", "pyright"), ("-m", "basedpyright"))
_WEAK_ADVICE = "Install bubblewrap: the weak sandbox runs Python only."


async def run_steps(
    target: PythonTarget, steps: Sequence[BuildStep], *, seconds: float, exclude: Sequence[Path] = ()
) -> list[StepResult]:
    """Runs steps until the time is up; later steps are skipped where they would only repeat a failure. Cancelling ends
    every process.

    Args:
        target: provides interpreter and sandbox; the project is copied again, so that its current state is built.
        seconds: wall time of all steps together.
        exclude: folders that are no part of the project.

    Raises:
        SandboxFailure, StorageError, ProjectError: the sandbox broke, or the project cannot be copied.
    """
    results: list[StepResult] = []
    async with _fresh_copy(target, exclude) as fresh, fresh.workspace() as workspace:
        await asyncio.to_thread(_link, workspace)
        ends = time.monotonic() + seconds
        for step in steps:
            left = ends - time.monotonic()
            results.append(await _run_step(workspace, step, left, results))
    return results


@asynccontextmanager
async def _fresh_copy(target: PythonTarget, exclude: Sequence[Path]) -> AsyncIterator[PythonTarget]:
    """Yields the target with a new copy of the project, deleted on exit."""
    folder = target.scratch / f"build-{time.monotonic_ns()}"
    try:
        snapshot = await to_the_end(take_snapshot, target.root, folder, exclude=tuple(exclude))
        yield replace(target, snapshot=snapshot)
    finally:
        await to_the_end(remove_tree, folder, ignore_errors=True)


def _link(workspace: Workspace) -> None:
    """Links folders of installed packages into the copy: they are mounted read-only instead of copied."""
    root = workspace.target.root.resolve()
    names = list(LINKED)
    environment = workspace.target.interpreter.path.parent.parent
    if environment.parent.resolve() == root:
        names.append(environment.name)
    for name in names:
        place = workspace.project / name
        if (root / name).is_dir() and not place.exists() and not place.is_symlink():
            place.symlink_to(root / name)


async def _run_step(workspace: Workspace, step: BuildStep, left: float, before: Sequence[StepResult]) -> StepResult:
    if step.missing:
        return StepResult(step, "unavailable", reason=step.missing, advice=step.advice)
    if step.kind == "types" and any(item.step.kind == "python" and item.status == "failed" for item in before):
        return StepResult(step, "skipped", reason="modules do not compile; fix them first")
    if left <= 0:
        return StepResult(step, "timed_out", reason="there was no time left for it", advice=_timeout_advice())
    starts = step.program[0] if step.program else "Node" if step.python[:2] in _ON_NODE else ""
    if starts and workspace.target.sandbox.kind == "weak":
        reason = f"the weak sandbox cannot run {starts}"
        return StepResult(step, "unavailable", reason=reason, advice=_WEAK_ADVICE)
    program = await asyncio.to_thread(program_of, workspace, step, left)
    if program is None:
        reason = f"{step.program[0]} is not installed on this machine"
        return StepResult(step, "unavailable", reason=reason, advice=f"Install {step.program[0]}.")
    completed = await workspace.target.sandbox.run(program)
    return _step_result(workspace, step, completed)


def _step_result(workspace: Workspace, step: BuildStep, completed: Completed) -> StepResult:
    output = _readable_output(workspace, completed)
    result = StepResult(step, "passed", completed.exit_code, completed.seconds, output)
    if completed.ending == "wall_clock":
        return replace(
            result, status="timed_out", reason=completed.reason or "it took too long", advice=_timeout_advice()
        )
    if completed.ending != "exited":
        return replace(result, status="failed", reason=completed.reason or f"it ended by {completed.ending}")
    if completed.exit_code == 0:
        return result
    missing = _NOT_FOUND.search(output[-100_000:])
    # "not found" may be the project's own message: only the shell's exit codes and the step's own module count.
    by_shell = completed.exit_code in (126, 127) or "Error 127" in output
    by_python = bool(step.python) and missing is not None and missing[2] is not None and missing[2] == step.python[1]
    if missing is not None and (by_shell or by_python):
        tool = missing[1] or missing[2]
        reason = f"{tool} is not installed where the build runs"
        return replace(result, status="unavailable", reason=reason, advice=_install_advice(step, tool))
    if _NO_NETWORK.search(output[-100_000:]):
        reason = "it needs the network, which the sandbox does not provide"
        status = "unavailable" if step.kind == "types" else "failed"
        return replace(result, status=status, reason=reason, advice=_offline_advice(step))
    return replace(result, status="failed", reason=f"it ended with exit code {completed.exit_code}")


def _readable_output(workspace: Workspace, completed: Completed) -> str:
    """Decodes a program's output, with paths relative to the project."""
    both = b"\n".join(item for item in (completed.stdout, completed.stderr) if item.strip())
    words = without_colors(both.decode("utf-8", "replace"))
    for base in dict.fromkeys((str(workspace.project), str(workspace.project.resolve()))):
        words = words.replace(f"file://{base}/", "").replace(f"{base}/", "").replace(base, ".")
    return words.replace(str(workspace.scratch), "SCRATCH")


def _install_advice(step: BuildStep, tool: str) -> str:
    if step.kind == "node":
        return "Install the project's packages first (npm ci): the sandbox sees node_modules, but no network."
    return f"Install {tool} in the project's environment or on this machine."


def _offline_advice(step: BuildStep) -> str:
    if step.python[:2] == ("-m", "pyright"):
        return "Install it with its Node, so that it fetches nothing when it runs: pip install 'pyright[nodejs]'"
    return "Install what it needs beforehand."


def _timeout_advice() -> str:
    return "Give more time with timeout_seconds, or build less with the setting build_command."
