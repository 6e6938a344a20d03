"""The product server over the real or a scripted backend, with a connected client."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
from mcp import Client, StdioServerParameters
from mcp.server import MCPServer
from mcp.types import CallToolResult, TextContent

from testwright.app.mcp_application import served_application
from testwright.mcp.serving.backend import Job, Json, McpBackend, TestFiles
from testwright.mcp.serving.product_server import ServerOptions, build_server
from testwright.mcp.toolbox.tool_spec import ERROR_META
from testwright.reports.build import build_report
from testwright.store.files.run_folder import RunFolder
from testwright.tests.support.projects.files import ROOT, make_project
from testwright.tests.support.runs.report_data import executed, facts, generate_step, outcomes

_LONG = (
    "analyze_test_results",
    "generate_test_spec",
    "generate_tests",
    "generate_tests_from_spec",
    "resume_run",
    "run_tests",
)


def quick_project(root: Path) -> Path:
    """The small project, with a project file that lets runs be short: servers are started without our variables."""
    (make_project(root) / "testwright.toml").write_text("trials = 60\nrepeats = 1\nmutants = 6\n", "utf-8")
    return root


def project_with_endless_test(root: Path) -> Path:
    """`quick_project` with `tests/test_endless.py`, which waits forever, without work for a processor."""
    path = quick_project(root) / "tests" / "test_endless.py"
    path.parent.mkdir()
    path.write_text("import threading\n\n\ndef test_endless():\n    threading.Event().wait()\n", "utf-8")
    return root


@asynccontextmanager
async def real_server(roots: Sequence[Path], **options: Any) -> AsyncIterator[MCPServer[Any]]:
    """The server with testwright behind it, in this process."""
    async with served_application({}) as application:
        yield build_server(application, ServerOptions(roots, **options))


class PatientClient(Client):
    """Waits for what a long tool comes to: a busy machine makes no answer one about work that goes on."""

    async def call_tool(self, name: str, arguments: Json | None = None, *more: Any, **options: Any) -> Any:
        if name in _LONG:
            arguments = {"wait_seconds": 3600, **(arguments or {})}
        return await super().call_tool(name, arguments, *more, **options)


@asynccontextmanager
async def real_client(*roots: Path, **options: Any) -> AsyncIterator[Client]:
    """A client of `real_server`."""
    async with real_server(roots, **options) as server, PatientClient(server) as client:
        yield client


@asynccontextmanager
async def scripted_client(application: McpBackend, *roots: Path, **options: Any) -> AsyncIterator[Client]:
    """A client of a server with a scripted application behind it."""
    async with Client(build_server(application, ServerOptions(roots, **options))) as client:
        yield client


def stdio_server(*roots: Path, more: Sequence[str] = ()) -> StdioServerParameters:
    """`python main.py mcp serve` for these roots."""
    named = [part for root in roots for part in ("--root", str(root))]
    arguments = [str(ROOT / "main.py"), "mcp", "serve", *named, *more]
    return StdioServerParameters(command=sys.executable, args=arguments, cwd=str(roots[0]))


def server_process(root: Path) -> psutil.Process:
    """The server of these tests that serves a root, among our children."""
    for child in psutil.Process().children():
        if "serve" in (words := child.cmdline()) and str(root) in words:
            return child
    raise AssertionError("there is no such server")


class Children:
    """The processes below this one that were not there before: other tests may have left a helper of Python's own."""

    def __init__(self) -> None:
        self._before = set(psutil.Process().children(recursive=True))

    def __call__(self) -> list[psutil.Process]:
        """Those there are now."""
        return [child for child in psutil.Process().children(recursive=True) if child not in self._before]


def data(result: CallToolResult) -> Json:
    """The data of an answer that is no error."""
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def told(result: CallToolResult) -> Json:
    """The error of an answer, with its `text`, as the model reads it."""
    assert result.is_error, result.content
    assert result.structured_content is None
    (block,) = result.content
    assert isinstance(block, TextContent)
    return {**(result.meta or {})[ERROR_META], "text": block.text}


class ScriptedApplication:
    """Answers what it is told to, and remembers what it was asked.

    Args:
        answers: by method, the answer, or an error to raise.
    """

    def __init__(self, answers: Mapping[str, Any] | None = None) -> None:
        self.answers = dict(answers or {})
        self.asked: list[tuple[str, Any]] = []
        self.stored: dict[str, Json] = {}
        self._made = 0

    def state(self, root: Path) -> Path:
        return root / ".testwright"

    def new_run_id(self) -> str:
        self._made += 1
        return f"run-{self._made}"

    def keep(self, root: Path, run_id: str, **known: Any) -> RunFolder:
        """Let there be a run."""
        plain = {"status": "completed", "exit_reason": "completed", "request": "unit tests", "resumable": False}
        self.stored[run_id] = {**plain, "totals": None, "report": None, "files": [], "root": str(root), **known}
        return RunFolder(self.state(root), run_id).create()

    async def plan(self, root: Path, request: str, options: Mapping[str, Any]) -> Json:
        return await self._answer("plan", request, options)

    async def generate_tests(self, job: Job, request: str, options: Mapping[str, Any]) -> Json:
        return await self._answer("generate_tests", job, request, options)

    async def generate_spec(self, job: Job, **asked: Any) -> Json:
        return await self._answer("generate_spec", job, asked)

    async def generate_from_spec(self, job: Job, *, spec: Mapping[str, Any], name: str, framework: str | None) -> Json:
        return await self._answer("generate_from_spec", job, spec, name, framework)

    async def resume(self, job: Job) -> Json:
        return await self._answer("resume", job)

    async def run_tests(self, job: Job, tests: TestFiles, options: Mapping[str, Any]) -> Json:
        return await self._answer("run_tests", job, tests, options)

    async def analyze(self, job: Job, *, results: Mapping[str, Any], spec: Mapping[str, Any], target: Json) -> Json:
        return await self._answer("analyze", job, results, spec)

    async def apply(self, root: Path, run_id: str) -> list[Json]:
        return await self._answer("apply", run_id)

    async def run(self, root: Path, run_id: str) -> Json | None:
        found = self.stored.get(run_id)
        return found if found is not None and found["root"] == str(root) else None

    async def runs(self, root: Path) -> list[Json]:
        return [{"run_id": name, "created_at": 0.0} for name, run in self.stored.items() if run["root"] == str(root)]

    async def call_tool(self, root: Path, name: str, arguments: Mapping[str, Any], run_id: str | None = None) -> Json:
        return await self._answer("call_tool", root, name, dict(arguments), *([run_id] if run_id else []))

    async def _answer(self, method: str, *asked: Any) -> Any:
        self.asked.append((method, asked))
        answer = self.answers[method]
        if isinstance(answer, Exception):
            raise answer
        return answer


class Progress:
    """Collects progress notifications, and wakes who waits for one.

    Args:
        each: called with every notification.
    """

    def __init__(self, each: Callable[[str], Awaitable[None]] | None = None) -> None:
        self.values: list[float] = []
        self.totals: list[float | None] = []
        self.messages: list[str] = []
        self._each = each
        self._came = asyncio.Event()

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        self.values.append(progress)
        self.totals.append(total)
        self.messages.append(message or "")
        self._came.set()
        if self._each is not None:
            await self._each(message or "")

    async def until(self, wanted: Callable[[str], bool]) -> None:
        """Wait for a message."""
        while not any(wanted(message) for message in self.messages):
            self._came.clear()
            await self._came.wait()


def a_report(run_id: str = "run-1", **cart: Any) -> Json:
    """The report of a run that kept two tests of a cart and dropped none.

    Args:
        cart: further fields of the testing graph's final state.
    """
    step = generate_step(1, **executed(["tc_one", "tc_two"], **cart))
    return build_report(facts(id=run_id), outcomes(step)).model_dump(mode="json", by_alias=True)
