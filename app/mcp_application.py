"""Implements `mcp.serving.backend.ServedApplication`: the use cases of testwright, as the MCP server offers them."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..agents.contract.protocol import AgentRequest, RequestMetadata
from ..config.settings import Settings, load_settings
from ..core.errors import RunNotFound, StorageError, StoreCorrupt, UsageError
from ..core.events import EventType
from ..mcp.serving.backend import Job, Json, TestFiles
from ..mcp.tool_client.tool_client import ToolClient
from ..store import listing
from ..store.files.files import write_file
from ..store.files.run_folder import RunFolder, new_run_id, prepare_state_dir
from ..store.files.staging import Staging
from ..utils.canonical import pretty_json
from ..utils.work_meter import WorkMeter
from . import runs, service
from .container import LiveRun
from .html_report import stored_report
from .opened_store import open_store
from .run_lifecycle import error_from_payload, run_scope
from .run_report import RunResult
from .runs import SingleTargetRequest
from .target.provider import TargetProvider
from .tool_factory import open_tools

_SINGLE_TASKS = ("run_tests: ", "analyze_test_results: ")
"""How the requests of runs of a single task begin; these start anew instead of being resumed."""

_CODE_RUNNING_TOOLS = frozenset({"run_build"})
"""Tools that run code: each call works on a fresh copy of the project."""


class TestwrightApplication:
    """See `mcp.serving.backend.ServedApplication`. Open it with `served_application`.

    Args:
        flags: settings given at the server's start, as `load_settings` takes them; each project's own file and the
            environment add the rest for every call.
        opened: closes the tool clients, which stay open for the server's lifetime.
    """

    __test__ = False

    def __init__(self, flags: Mapping[str, Any], opened: AsyncExitStack) -> None:
        self._flags = dict(flags)
        self._opened = opened
        self._tools: dict[Path, ToolClient] = {}
        self._opening: dict[Path, asyncio.Lock] = {}

    def state(self, root: Path) -> Path:
        """The folder in which a project's runs are kept."""
        return self._settings(root).state

    def new_run_id(self) -> str:
        """An id that no run has."""
        return new_run_id()

    async def plan(self, root: Path, request: str, options: Mapping[str, Any]) -> Json:
        """The plan for a request."""
        return await service.plan(request, await self._load_settings(root, options))

    async def generate_tests(self, job: Job, request: str, options: Mapping[str, Any]) -> Json:
        """Run a request and stage its tests; returns the report."""
        settings = await self._load_settings(job.root, {**options, "run_id": job.run_id})
        return _report_of(await runs.run(request, settings, on_event=job.on_event))

    async def generate_spec(
        self, job: Job, *, test_type: str, target: str, context: str, framework: str | None
    ) -> Json:
        """Run until the spec of one target is written."""
        options = {"framework": framework, "test_type": test_type, "run_id": job.run_id}
        settings = await self._load_settings(job.root, options)
        wanted = SingleTargetRequest(f"{test_type} tests", target, context)
        state = await runs.run_until_spec(wanted, settings, on_event=job.on_event)
        spec = state["spec_json"] if state["phase"] == "code_generation" else None
        errors = list(state["spec_errors"])
        status = "not_valid" if spec is None else "spec_ready" if spec.get("cases") else "nothing_to_test"
        return {
            "status": status,
            "target": state["target"],
            "framework": state["framework"],
            "spec_path": state["spec_path"],
            "test_path": state["test_path"],
            "attempts": state["spec_attempts"] + 1,
            "errors": errors,
            "spec": spec,
            "message": _missing_spec_message(status, spec, errors),
        }

    async def generate_from_spec(self, job: Job, *, spec: Mapping[str, Any], name: str, framework: str | None) -> Json:
        """Run from a given spec and stage the tests; returns the report."""
        chosen = framework or spec.get("framework")
        options = {"framework": chosen, "test_type": spec["test_type"], "run_id": job.run_id}
        settings = await self._load_settings(job.root, options)
        target = _target_of(spec)
        if not target:
            raise UsageError("The spec names no target.", advice='Say it: "target": {"path": "src/shop/cart.py"}.')
        wanted = SingleTargetRequest(f"{spec['test_type']} tests", target, spec_name=name)
        given = {**spec, "framework": settings.framework}
        return _report_of(await runs.run_from_spec(wanted, given, settings, on_event=job.on_event))

    async def resume(self, job: Job) -> Json:
        """Continue a run from where it stopped; returns the report."""
        where = await self._load_settings(job.root, {})
        return _report_of(await service.resume(job.run_id, where, on_event=job.on_event))

    async def run_tests(self, job: Job, tests: TestFiles, options: Mapping[str, Any]) -> Json:
        """Run test files in the sandbox; the run keeps `results.json` with the spec."""

        async def work(live: LiveRun) -> Json:
            staging = Staging(live.folder, job.root)
            for path, text in tests.files.items():
                await asyncio.to_thread(staging.stage, path, text)
            given = dict(options)
            if tests.spec is not None:
                await asyncio.to_thread(write_file, live.folder.specs / "given.json", pretty_json(tests.spec))
                given["spec_path"] = "specs/given.json"
            live.services.emit(EventType.PROGRESS, f"running {tests.test_path}")
            if tests.together:
                result = await live.tools.call("verify_suite", {"test_paths": list(tests.together), "options": given})
            else:
                result = await live.tools.call("run_tests", {"test_path": tests.test_path, "options": given})
            live.services.emit(
                EventType.TESTS_RUN,
                f"{result['passed']} tests hold, {result['failed']} do not",
                passed=result["passed"],
                failed=result["failed"],
            )
            kept = {"test_path": tests.test_path, "results": result, "spec": tests.spec}
            await asyncio.to_thread(write_file, live.folder.path / "results.json", pretty_json(kept))
            return result

        return await self._run_single_task(job, f"run_tests: {tests.test_path}", work)

    async def analyze(self, job: Job, *, results: Mapping[str, Any], spec: Mapping[str, Any], target: Json) -> Json:
        """Analyse stored results; the run keeps `analysis.json`."""
        name = str(target.get("path") or results.get("test_path") or "stored results")

        async def work(live: LiveRun) -> Json:
            run_id = live.context.run_id
            inputs = {"run_id": run_id, "test_results": dict(results), "spec": dict(spec), "target": target or None}
            request = AgentRequest(f"analyse {name}", "analyze_results", RequestMetadata(run_id), inputs=inputs)
            response = await live.services.agents["analyzer"].process(request)
            if response.error is not None:
                raise error_from_payload({**(response.error.details or {}), "message": response.error.message})
            answer = {key: response.result.get(key) or [] for key in ("findings", "suspected_defects", "drop")}
            answer["summary"] = str(response.result.get("summary") or "")
            await asyncio.to_thread(write_file, live.folder.path / "analysis.json", pretty_json(answer))
            return answer

        return await self._run_single_task(job, f"analyze_test_results: {name}", work)

    async def apply(self, root: Path, run_id: str) -> list[Json]:
        """Add a run's staged tests to the project."""
        where = await self._load_settings(root, {})
        return [asdict(file) for file in await asyncio.to_thread(service.apply, run_id, where)]

    async def run(self, root: Path, run_id: str) -> Json | None:
        """Details of a run of this project, or None."""
        return await asyncio.to_thread(self._find_run, root, run_id)

    async def runs(self, root: Path) -> list[Json]:
        """The stored runs of this project, newest first."""
        return await asyncio.to_thread(self._list_runs, root)

    async def call_tool(self, root: Path, name: str, arguments: Mapping[str, Any], run_id: str | None = None) -> Json:
        """Call a built-in tool for this project; tool servers of others are never called, clients have them anyway.

        Clients of tools that only read are opened once for each project and kept.
        """
        if name in _CODE_RUNNING_TOOLS or run_id is not None:
            async with _open_built_in_tools(await self._load_settings(root, {}), run_id) as tools:
                return await tools.call(name, dict(arguments))
        async with self._opening.setdefault(root, asyncio.Lock()):  # one project must not hold up the others
            if root not in self._tools:
                opening = _open_built_in_tools(await self._load_settings(root, {}))
                self._tools[root] = await self._opened.enter_async_context(opening)
        return await self._tools[root].call(name, dict(arguments))

    def _list_runs(self, root: Path) -> list[Json]:
        settings = self._settings(root)
        if settings.store is None and not settings.state.is_dir():
            return []
        with open_store(settings) as store:
            return [asdict(summary) for summary in listing.list_runs(store, settings.state, root=root)]

    def _find_run(self, root: Path, run_id: str) -> Json | None:
        settings = self._settings(root)
        try:
            folder = RunFolder(settings.state, run_id)
            if not folder.exists:
                return None
            with open_store(settings) as store:
                details = listing.show_run(store, settings.state, run_id)
        except (RunNotFound, UsageError):
            return None
        if details.record is None or details.record.root != str(root):
            return None
        summary = asdict(details.summary)
        is_resumable = summary["resumable"] and not summary["request"].startswith(_SINGLE_TASKS)
        return {**summary, "resumable": is_resumable, **_stored_report(folder), "files": list(details.files)}

    async def _run_single_task(self, job: Job, request: str, work: Callable[[LiveRun], Awaitable[Json]]) -> Json:
        """Record a run of one piece of work, without a graph. Raises what the work raises."""
        settings = await self._load_settings(job.root, {"run_id": job.run_id})
        async with runs.open_new_run(settings, job.on_event) as live:
            with run_scope(live, request, is_resumable=False):
                result = await work(live)
            live.services.emit(EventType.COMPLETE, "completed", report="", iterations=1)
        return result

    async def _load_settings(self, root: Path, options: Mapping[str, Any]) -> Settings:
        return await asyncio.to_thread(self._settings, root, options)

    def _settings(self, root: Path, options: Mapping[str, Any] | None = None) -> Settings:
        """The settings of one call: tests are staged, and never added to the project."""
        return load_settings({**self._flags, **(options or {}), "root": root, "dry_run": True})


@asynccontextmanager
async def served_application(flags: Mapping[str, Any]) -> AsyncIterator[TestwrightApplication]:
    """Open the application of a server for the block."""
    async with AsyncExitStack() as opened:
        yield TestwrightApplication(flags, opened)


@asynccontextmanager
async def _open_built_in_tools(settings: Settings, run_id: str | None = None) -> AsyncIterator[ToolClient]:
    """Open our tools for a project, or for a run of it. Without a run, their run folder is temporary."""
    with suppress(StorageError):  # a project that cannot be written can still be read
        await asyncio.to_thread(prepare_state_dir, settings.state)
    with tempfile.TemporaryDirectory(prefix="testwright-served-", ignore_cleanup_errors=True) as scratch:
        folder = RunFolder(Path(scratch), "tools").create() if run_id is None else RunFolder(settings.state, run_id)
        target = TargetProvider(settings, folder, WorkMeter())
        try:
            async with open_tools(settings, folder, target, os.environ, others=False) as tools:
                yield tools
        finally:
            await target.discard()


def _report_of(result: RunResult) -> Json:
    """The report in the form of report.json."""
    return result.report.model_dump(mode="json", by_alias=True)


def _stored_report(folder: RunFolder) -> Json:
    """`report` of a run, None without one; `report_fault` says why it does not read. Raises StorageError."""
    if not folder.report_json.is_file():
        return {"report": None, "report_fault": ""}
    try:
        return {"report": stored_report(folder).model_dump(mode="json", by_alias=True), "report_fault": ""}
    except StoreCorrupt as error:
        return {"report": None, "report_fault": error.message}


def _target_of(spec: Mapping[str, Any]) -> str:
    """The spec's module: its target, or the component where an integration spec's flows enter; "" for none."""
    target = spec.get("target") or {}
    components = target.get("components") or ()
    entry = next((component for component in components if component.get("role") == "entry"), None)
    module = entry or target
    return str(module.get("path") or module.get("module") or "")


def _missing_spec_message(status: str, spec: Json | None, errors: list[Json]) -> str:
    if status == "spec_ready":
        return ""
    if status == "nothing_to_test":
        first = ((spec or {}).get("not_reached") or [{}])[0]
        return f"nothing to test was found: {first.get('subject', '')} {first.get('reason', '')}".strip(" :")
    return f"it was not valid: {errors[0].get('message')}" if errors else "it was not valid"
