"""Runs the tool chain on files: one short Node process for all of them.

The process reads their text from its standard input. It opens no file of the project: no configuration, plugin or
parser of the project's is loaded, because that would run the project's code. It runs in the sandbox, without network
and with nothing of the machine but Node and the chain in sight, both read-only; where no sandbox works it runs as a
plain child, like ruff.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from ...core.errors import EnvironmentFault, SandboxFailure, SandboxUnavailable, ToolFailure
from ...sandbox.javascript.node import NodeRuntime, find_node
from ...sandbox.opening import open_sandbox
from ...sandbox.protocol import Limits, Program, Sandbox
from ...utils.user_folders import cache_folders
from .chain import CHECKS, COMPILED, ToolChain

SUFFIXES = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
HEAP = "--max-old-space-size=1024"
_SECONDS = 90.0
_LIMITS = Limits(wall_seconds=_SECONDS, memory_mib=32_768, processes=128, file_mib=1)
_COMPILING = replace(_LIMITS, file_mib=64)
_WARMING = """import {{ expect, test }} from '{module}';
import {{ it as subject }} from './it';

test('works', () => {{
  expect(subject()).toBe(1);
}});
"""
IssueType = Literal["syntax", "lint", "structure"]


@dataclass(frozen=True, slots=True)
class ScriptFile:
    """A file to check.

    Attributes:
        name: its path or name; the suffix determines the language.
        framework: `jest`, `playwright`, or empty for a file that is no test.
        lint, structure: what is checked besides the syntax.
    """

    name: str
    source: str
    framework: Literal["jest", "playwright", ""] = ""
    lint: bool = True
    structure: bool = True


@dataclass(frozen=True, slots=True)
class ScriptIssue:
    """One issue; `rule` is ESLint's name of it, `suggestion` may be empty."""

    type: IssueType
    line: int
    column: int
    rule: str
    message: str
    suggestion: str = ""


class JavaScriptChecks:
    """Checks files for the tools; finds Node, installs the chain and opens the sandbox on first use.

    Args:
        root: the project, in which no chain is looked for.
    """

    def __init__(self, root: Path) -> None:
        self._folders = cache_folders(root)
        self._opened: tuple[NodeRuntime, ToolChain, Sandbox | None] | None = None

    async def issues(self, files: Sequence[ScriptFile]) -> list[list[ScriptIssue]]:
        """Lists the issues of each file, in the order of the files.

        Raises:
            EnvironmentFault, StorageError: there is no Node, or the chain cannot be installed.
            ToolFailure: the checks broke off.
        """
        if not files:
            return []
        node, chain, sandbox = await self._open()
        return await _run_checks(node, chain, sandbox, files)

    async def _open(self) -> tuple[NodeRuntime, ToolChain, Sandbox | None]:
        if self._opened is None:
            node, chain = await asyncio.to_thread(self._prepare)
            sandbox = await asyncio.to_thread(_sandbox)
            if await asyncio.to_thread(_is_new, chain):
                await _verify_chain(node, chain, sandbox)
            self._opened = (node, chain, sandbox)
        return self._opened

    def _prepare(self) -> tuple[NodeRuntime, ToolChain]:
        node = find_node()
        return node, CHECKS.install(self._folders)


def _sandbox() -> Sandbox | None:
    try:
        return open_sandbox()
    except SandboxUnavailable:
        return None


def _is_new(chain: ToolChain) -> bool:
    """Whether Node has compiled nothing of the chain yet; makes the folder for that, where it can be written."""
    with contextlib.suppress(OSError):
        (chain.folder / COMPILED).mkdir()
        return True
    return chain.fresh


async def _verify_chain(node: NodeRuntime, chain: ToolChain, sandbox: Sandbox | None) -> None:
    """Verifies that a new chain works; Node also caches the compiled chain in this run.

    It keeps a cache for each user id, and the sandbox has one of its own: so this runs as all later checks do.
    """
    modules = {"jest": "@jest/globals", "playwright": "@playwright/test"}
    files = [
        ScriptFile(f"it.test{ending}", _WARMING.format(module=modules[framework]), framework)
        for framework in ("jest", "playwright")
        for ending in (".js", ".ts")
    ]
    found = await _run_checks(node, chain, sandbox, files, compiles=True)
    if any(found):
        raise EnvironmentFault(
            f"the JavaScript checks in {chain.folder} do not work: {found}", advice=f"delete {chain.folder}, try again"
        )


async def _run_checks(
    node: NodeRuntime,
    chain: ToolChain,
    sandbox: Sandbox | None,
    files: Sequence[ScriptFile],
    *,
    compiles: bool = False,
) -> list[list[ScriptIssue]]:
    """Runs Node once; `compiles`: whether it may write down what it has compiled."""
    request = json.dumps({"files": [asdict(file) for file in files]}).encode("utf-8", "surrogatepass")
    argv = (str(node.path), HEAP, str(chain.script))
    environment = {"NODE_COMPILE_CACHE": str(chain.folder / COMPILED), "LANG": "C.UTF-8"}
    if sandbox is None:
        code, out, errors = await _run_unsandboxed(argv, chain, environment, request)
    else:
        program = Program(
            argv=argv,
            cwd=chain.folder,
            environment=environment,
            readable=(chain.folder,),
            writable=(chain.folder / COMPILED,) if compiles else (),
            limits=_COMPILING if compiles else _LIMITS,
            stdin=request,
        )
        code, out, errors = await _run_sandboxed(sandbox, program)
    if code != 0:
        raise ToolFailure(
            f"the JavaScript checks broke off (exit code {code}): {_error_line(errors)}",
            advice=f"if it comes again, delete {chain.folder}: it is installed anew",
        )
    return _read(out, len(files))


async def _run_unsandboxed(
    argv: Sequence[str], chain: ToolChain, environment: Mapping[str, str], request: bytes
) -> tuple[int, bytes, bytes]:
    try:
        child = await asyncio.create_subprocess_exec(
            *argv, cwd=chain.folder, env=dict(environment), stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
    except OSError as fault:
        raise EnvironmentFault(f"{argv[0]} cannot be started: {fault.strerror or fault}") from fault
    try:
        async with asyncio.timeout(_SECONDS):
            out, errors = await child.communicate(request)
    except TimeoutError as fault:
        raise ToolFailure(f"the JavaScript checks did not answer within {_SECONDS:.0f} s") from fault
    finally:
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            await child.wait()
    return child.returncode or 0, out, errors


async def _run_sandboxed(sandbox: Sandbox, program: Program) -> tuple[int, bytes, bytes]:
    try:
        done = await sandbox.run(program)
    except SandboxFailure as fault:
        raise ToolFailure(f"the JavaScript checks did not start: {fault.message}", advice=fault.advice) from fault
    return done.exit_code, done.stdout, done.reason.encode() or done.stderr


def _read(out: bytes, wanted: int) -> list[list[ScriptIssue]]:
    try:
        files: list[dict[str, Any]] = json.loads(out)["files"]
        found = [[ScriptIssue(**item) for item in file["issues"]] for file in files]
    except (ValueError, KeyError, TypeError) as fault:
        raise ToolFailure(f"the JavaScript checks answered what cannot be read: {fault}") from fault
    if len(found) != wanted:
        raise ToolFailure(f"the JavaScript checks answered for {len(found)} files of {wanted}")
    return found


def _error_line(errors: bytes) -> str:
    lines = [line.strip() for line in errors.decode("utf-8", "replace").splitlines() if line.strip()]
    return next((line for line in lines if "Error" in line), lines[-1] if lines else "no output")[:500]
