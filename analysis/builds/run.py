"""Runs the steps of a build in the sandbox, and reads errors from the output of compilers and checkers."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ...core.errors import EnvironmentFault
from ...sandbox.executable import executable_folders
from ...sandbox.javascript.node import find_node
from ...sandbox.protocol import Completed, Limits, Program
from ...sandbox.snapshot import take_snapshot
from ...sandbox.target import PythonTarget, Workspace, to_the_end
from ...utils.untrusted_folders import remove_tree
from .detect import BuildError, BuildStep, StepResult

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_LONGEST_LINE = 2000
_LONGEST_OUTPUT = 4_000_000
_PATH = r"(?P<path>(?:[A-Za-z]:)?[^\s:()<>\"'][^:()<>\"']*?)"
_PLACE = r":(?P<line>\d{1,7})(?::(?P<column>\d{1,6}))?"

_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        # mypy, gcc, clang: a.py:3:5: error: Incompatible types  [assignment]
        rf"^{_PATH}{_PLACE}(?::\d+:\d+)?: (?:fatal )?(?P<severity>error|warning): (?P<message>.*)$",
        # as pyright writes: /a.py:3:5 - error: message (reportX); tsc --pretty: a.ts:3:5 - error TS2322: message
        rf"^\s*{_PATH}{_PLACE} - (?P<severity>error|warning)(?: (?P<tsc>TS\d+))?: (?P<message>.*?)"
        r"(?: \((?P<code>report\w+)\))?$",
        # tsc: a.ts(3,5): error TS2322: message
        rf"^{_PATH}\((?P<line>\d{{1,7}}),(?P<column>\d{{1,6}})\): (?P<severity>error|warning) (?P<code>TS\d+): "
        r"(?P<message>.*)$",
        # ruff, flake8: a.py:3:5: F401 message
        rf"^{_PATH}{_PLACE}: (?P<code>[A-Z]{{1,4}}\d{{1,4}})\s(?P<message>.*)$",
        # go and others: ./a.go:3:5: message
        r"^(?P<path>[^\s:()<>\"']+\.\w{1,5}):(?P<line>\d{1,7}):(?P<column>\d{1,6}): (?!note\b|info\b)(?P<message>.+)$",
    )
)
_WITHOUT_PLACE = re.compile(r"^(?:(?P<path>[^\s:]+): )?(?P<severity>error) (?P<code>TS\d+): (?P<message>.*)$")
_ESLINT_FILE = re.compile(r"^(?P<path>(?:/|\./|[\w@-])[^:()<>\"']*\.\w{1,5})$")
_ESLINT_LINE = re.compile(
    r"^\s+(?P<line>\d{1,7}):(?P<column>\d{1,6})\s+(?P<severity>error|warning)\s+(?P<message>\S.*)$"
)
_FRAME = re.compile(r'^\s*File "(?P<path>[^"]+)", line (?P<line>\d{1,7})')
_EXCEPTION = re.compile(
    r"^\s{0,4}(?:\*\*\* )?(?P<code>(?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit))(?:: (?P<message>.*))?$"
)
_BRACKETED = re.compile(r"\s\[([\w./+=-]+)\]$")
_LAST_COLUMN = re.compile(r"\s\s(\S+)$")
_CALL = re.compile(r"^\s+at (?:.*\()?(?:file://)?(?P<path>[^\s():]+):(?P<line>\d{1,7}):(?P<column>\d{1,6})\)?$")
_CONTINUED = re.compile(r"^\s+\xa0+(?P<message>.*?)(?: \((?P<code>report\w+)\))?$")


def without_colors(output: str) -> str:
    """Strips terminal colour codes from output."""
    return _ANSI.sub("", output)


def read_errors(output: str) -> list[BuildError]:
    """Lists every error in the output of a build in order, without repeats.

    Known are the forms of mypy, pyright, tsc, gcc and clang, ruff, eslint (stylish), Go and of Python's own tracebacks
    and syntax errors.
    """
    found: dict[BuildError, None] = {}
    for item in _read(without_colors(output)):
        found.setdefault(item)
    return list(found)


@dataclass(slots=True)
class _Reader:
    """State carried from earlier lines of the output.

    Attributes:
        file: the file whose complaints follow, as eslint lists them.
        frame: the innermost frame of a Python traceback so far.
        thrown: name and message of a JavaScript exception whose calls follow.
        last: a complaint that may go on in the next line.
    """

    file: str = ""
    frame: re.Match[str] | None = None
    thrown: tuple[str, str] | None = None
    last: BuildError | None = None

    def read(self, line: str) -> Iterator[BuildError]:
        """Yields the errors that are complete with this line."""
        more = _CONTINUED.match(line) if self.last else None
        if self.last and more:
            message = f"{self.last.message}; {more['message']}"
            self.last = replace(self.last, message=message, code=self.last.code or more["code"] or "")
            return
        if self.last:
            yield self.last
            self.last = None
        heading, below = _ESLINT_FILE.match(line), _ESLINT_LINE.match(line) if self.file else None
        if heading or not line.strip():
            self.file = heading["path"] if heading else ""
        elif below:
            yield _coded(_error(below, self.file), _LAST_COLUMN)
        else:
            self.frame = _FRAME.match(line) or self.frame
            yield from self._raised(line)

    def _raised(self, line: str) -> Iterator[BuildError]:
        exception, call = _EXCEPTION.match(line), _CALL.match(line)
        if exception and self.frame:
            message = exception["message"] or exception["code"]
            yield BuildError(self.frame["path"], int(self.frame["line"]), None, exception["code"], message)
            self.frame = None
        elif exception:
            self.thrown = (exception["code"], exception["message"] or exception["code"])
        elif call and self.thrown and not call["path"].startswith("node:"):
            yield BuildError(call["path"], int(call["line"]), int(call["column"]), *self.thrown)
            self.thrown = None
        elif not call:
            self.last = next(_one_line(line), None)


def _read(output: str) -> Iterator[BuildError]:
    reader = _Reader()
    for line in (*output[-_LONGEST_OUTPUT:].splitlines(), ""):
        if len(line) <= _LONGEST_LINE:
            yield from reader.read(line)


def _one_line(line: str) -> Iterator[BuildError]:
    for pattern in (*_PATTERNS, _WITHOUT_PLACE):
        match = pattern.match(line)
        if match:
            yield _coded(_error(match, match["path"] or ""), _BRACKETED)
            return


def _coded(error: BuildError, ending: re.Pattern[str]) -> BuildError:
    """Moves the code at the end of an error's message into its `code`."""
    found = None if error.code else ending.search(error.message)
    return replace(error, code=found[1], message=error.message[: found.start()].rstrip()) if found else error


def _error(match: re.Match[str], path: str) -> BuildError:
    parts = match.groupdict()
    return BuildError(
        path=path.strip(),
        line=int(parts["line"]) if parts.get("line") else None,
        column=int(parts["column"]) if parts.get("column") else None,
        code=parts.get("code") or parts.get("tsc") or "",
        message=parts["message"].strip(),
        severity="warning" if parts.get("severity") == "warning" else "error",
    )


LINKED: tuple[str, ...] = ("node_modules",)
"""Folders of installed packages: seen read-only at their place, not copied."""

_MEMORY_MIB = 4096
_NODE_MEMORY_MIB = 16384  # address space, of which V8 reserves far more than it uses
_OUTPUT_MIB = 16
_FILE_MIB = 1024
_ENVIRONMENT = {
    "NO_COLOR": "1",
    "TERM": "dumb",
    "PYTHONWARNINGS": "ignore",
    "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1",
    "npm_config_offline": "true",
    "npm_config_update_notifier": "false",
    "npm_config_fund": "false",
    "npm_config_audit": "false",
    "NEXT_TELEMETRY_DISABLED": "1",
}


def program_of(workspace: Workspace, step: BuildStep, seconds: float) -> Program | None:
    """Builds the program of a step; None when it is not installed. Blocks.

    Args:
        seconds: wall time it may take.
    """
    limits = Limits(
        wall_seconds=max(0.1, round(seconds, 1)),
        memory_mib=_MEMORY_MIB if step.kind == "python" else _NODE_MEMORY_MIB,
        processes=512,
        file_mib=_FILE_MIB,
        output_mib=_OUTPUT_MIB,
    )
    program = workspace.program(
        step.python,
        environment={**_ENVIRONMENT, "MYPY_CACHE_DIR": str(workspace.scratch / "mypy")},
        limits=limits,
        stdin=step.stdin,
        readable=_packages(workspace),
    )
    # The target's interpreter starts it; no other program has to be found.
    if step.python:
        return program
    started = _program_words(workspace, step.program[0])
    if started is None:
        return None
    beside = _node_beside(started[0])
    return replace(
        program,
        argv=(*started, *step.program[1:]),
        environment={
            **program.environment,
            "PATH": _with_folders(program.environment["PATH"], [Path(started[0]), *beside]),
        },
        readable=(*program.readable, *(folder for item in beside for folder in executable_folders(item))),
    )


def _packages(workspace: Workspace) -> tuple[Path, ...]:
    root = workspace.target.root.resolve()
    folders = (root / name for name in LINKED)
    return tuple(folder for folder in folders if folder.is_dir() and folder.resolve().is_relative_to(root))


def _program_words(workspace: Workspace, name: str) -> tuple[str, ...] | None:
    """The words that start a program, its absolute path first; None when it is missing."""
    if "/" in name:
        place = Path(name) if name.startswith("/") else workspace.project / name
        return (str(place),) if os.access(place, os.X_OK) else None
    found = shutil.which(name)
    if found is not None:
        return (str(Path(found).absolute()),)
    if name != "npm":
        return None
    try:
        return find_node(with_npm=True).npm or None
    except EnvironmentFault:
        return None


def _node_beside(program: str) -> list[Path]:
    """The Node for scripts, the machine's or else the extra's; empty if the program is Node itself."""
    if Path(program).name == "node":
        return []
    found = shutil.which("node")
    if found is not None:
        return [Path(found).absolute()]
    try:
        return [find_node().path]
    except EnvironmentFault:
        return []


def _with_folders(search: str, programs: list[Path]) -> str:
    """Builds a PATH with these programs after the target's interpreter and before the system's folders."""
    first, _, rest = search.partition(":")
    folders = dict.fromkeys(str(program.parent) for program in programs)
    return ":".join([first, *(folder for folder in folders if folder not in rest.split(":")), rest])


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
    # Decodes a program's output, with paths relative to the project.
    both = b"\n".join(item for item in (completed.stdout, completed.stderr) if item.strip())
    words = without_colors(both.decode("utf-8", "replace"))
    for base in dict.fromkeys((str(workspace.project), str(workspace.project.resolve()))):
        words = words.replace(f"file://{base}/", "").replace(f"{base}/", "").replace(base, ".")
    output = words.replace(str(workspace.scratch), "SCRATCH")
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
