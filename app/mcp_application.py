"""testwright as a server offers it: the application behind `mcp.offering.ServedApplication` (T-11)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..agents.contract.protocol import AgentRequest, RequestMetadata
from ..config.settings import Settings, load_settings
from ..core.errors import ExitCode, RequestError, RunNotFound, TestwrightError, UsageError
from ..core.events import EventType
from ..mcp.serving.backend import Job, Json, TestFiles
from ..store import listing
from ..store.database.database import Store
from ..store.files.files import write_file
from ..store.files.run_folder import RunFolder, new_run_id
from ..store.files.staging import Staging
from ..utils.canonical import pretty_json
from . import service
from .container import LiveRun, open_run
from .half_runs import Wanted, begun_with_spec, specified
from .run_lifecycle import Ended, as_raised, ended_by, record_run
from .served_tools import ServedTools

_SHORT_RUNS = ("run_tests: ", "analyze_test_results: ")
"""How the requests of runs begin that are one piece of work, and begin anew rather than go on."""


class TestwrightApplication:
    """See `mcp.offering.ServedApplication`. Open it with `served_application`.

    Args:
        flags: settings said at the server's start, as `load_settings` takes them; each project's own file and the
            environment say the rest, afresh for every call.
    """

    __test__ = False

    def __init__(self, flags: Mapping[str, Any], opened: AsyncExitStack) -> None:
        self._flags = dict(flags)
        self._tools = ServedTools(lambda root: self._asked(root, {}), opened)

    def state(self, root: Path) -> Path:
        """The folder in which a project's runs are kept."""
        return self._settings(root).state

    def new_run_id(self) -> str:
        """An id that no run has."""
        return new_run_id()

    async def plan(self, root: Path, request: str, options: Mapping[str, Any]) -> Json:
        """The plan for a request."""
        return await service.plan(request, await self._asked(root, options))

    async def generate_tests(self, job: Job, request: str, options: Mapping[str, Any]) -> Json:
        """A whole run, tests staged; the answer is its report."""
        settings = await self._asked(job.root, {**options, "run_id": job.run_id})
        ended = await service.run(request, settings, on_event=job.on_event)
        return _plain(ended)

    async def generate_spec(
        self, job: Job, *, test_type: str, target: str, context: str, framework: str | None
    ) -> Json:
        """The spec half of a run."""
        options = {"framework": framework, "test_type": test_type, "run_id": job.run_id}
        settings = await self._asked(job.root, options)
        wanted = Wanted(f"{test_type} tests", target, context)
        async with self._live(settings, job) as live:
            state = await specified(live, wanted)
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
            "message": _why_no_spec(status, spec, errors),
        }

    async def generate_from_spec(self, job: Job, *, spec: Mapping[str, Any], name: str, framework: str | None) -> Json:
        """The code half of a run, from a spec that is given; the answer is its report."""
        chosen = framework or spec.get("framework")
        options = {"framework": chosen, "test_type": spec["test_type"], "run_id": job.run_id}
        settings = await self._asked(job.root, options)
        named = _target_of(spec)
        if not named:
            raise UsageError("The spec names no target.", advice='Say it: "target": {"path": "src/shop/cart.py"}.')
        wanted = Wanted(f"{spec['test_type']} tests", named, name=name)
        async with self._live(settings, job) as live:
            ended = await begun_with_spec(live, wanted, {**spec, "framework": settings.framework})
        return _plain(ended)

    async def resume(self, job: Job) -> Json:
        """Continue a run from where it stopped; the answer is its report."""
        where = await self._asked(job.root, {})
        ended = await service.resume(job.run_id, where, on_event=job.on_event)
        return _plain(ended)

    async def run_tests(self, job: Job, tests: TestFiles, options: Mapping[str, Any]) -> Json:
        """Run a test file in the sandbox; kept in the run as `results.json`, with the spec."""
        settings = await self._asked(job.root, {"run_id": job.run_id})

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

        async with self._live(settings, job) as live:
            return await _short_run(live, f"run_tests: {tests.test_path}", work)

    async def analyze(self, job: Job, *, results: Mapping[str, Any], spec: Mapping[str, Any], target: Json) -> Json:
        """What stored results mean; kept in the run as `analysis.json`."""
        settings = await self._asked(job.root, {"run_id": job.run_id})
        named = str(target.get("path") or results.get("test_path") or "stored results")

        async def work(live: LiveRun) -> Json:
            inputs = {
                "run_id": live.context.run_id,
                "test_results": dict(results),
                "spec": dict(spec),
                "target": target or None,
            }
            asked = AgentRequest(
                f"analyse {named}", "analyze_results", RequestMetadata(live.context.run_id), inputs=inputs
            )
            response = await live.services.agents["analyzer"].process(asked)
            if response.error is not None:
                raise as_raised(response.error.message, response.error.details or {})
            answer = {key: response.result.get(key) or [] for key in ("findings", "suspected_defects", "drop")}
            answer["summary"] = str(response.result.get("summary") or "")
            await asyncio.to_thread(write_file, live.folder.path / "analysis.json", pretty_json(answer))
            return answer

        async with self._live(settings, job) as live:
            return await _short_run(live, f"analyze_test_results: {named}", work)

    async def apply(self, root: Path, run_id: str) -> list[Json]:
        """Add a run's staged tests to the project."""
        where = await self._asked(root, {})
        return [asdict(one) for one in await asyncio.to_thread(service.apply, run_id, where)]

    async def run(self, root: Path, run_id: str) -> Json | None:
        """What is known of a run of this project, or None."""
        return await asyncio.to_thread(self._run, root, run_id)

    async def call_tool(self, root: Path, name: str, arguments: Mapping[str, Any]) -> Json:
        """What one of the tools of a run answers for this project."""
        return await self._tools.call(root, name, arguments)

    def _run(self, root: Path, run_id: str) -> Json | None:
        state = self.state(root)
        try:
            if not RunFolder(state, run_id).exists:
                return None
            with Store.open(state) as store:
                details = listing.show_run(store, state, run_id)
        except (RunNotFound, UsageError):
            return None
        if details.record is None or details.record.root != str(root):
            return None
        summary = asdict(details.summary)
        short = summary["request"].startswith(_SHORT_RUNS)
        resumable = summary["resumable"] and not short
        return {**summary, "resumable": resumable, "report": details.report, "files": list(details.files)}

    @asynccontextmanager
    async def _live(self, settings: Settings, job: Job) -> AsyncIterator[LiveRun]:
        """A new run, open; one that asks for what is not there leaves nothing behind."""
        try:
            async with open_run(settings, job.run_id, on_event=job.on_event) as live:
                yield live
        except RequestError:
            await asyncio.to_thread(service.forget, settings, job.run_id)
            raise

    async def _asked(self, root: Path, options: Mapping[str, Any]) -> Settings:
        return await asyncio.to_thread(self._settings, root, options)

    def _settings(self, root: Path, options: Mapping[str, Any] | None = None) -> Settings:
        """The settings of one call: tests are staged, and never added to the project."""
        return load_settings({**self._flags, **(options or {}), "root": root, "dry_run": True})


@asynccontextmanager
async def served_application(flags: Mapping[str, Any]) -> AsyncIterator[TestwrightApplication]:
    """The application for a server, for as long as the block lasts."""
    async with AsyncExitStack() as opened:
        yield TestwrightApplication(flags, opened)


def _plain(ended: Ended) -> Json:
    """A run's report as report.json has it."""
    return ended.report.model_dump(mode="json", by_alias=True)


async def _short_run(live: LiveRun, request: str, work: Callable[[LiveRun], Awaitable[Json]]) -> Json:
    """A run of one piece of work, its end on record. Raises what the work raises."""
    record_run(live, request)
    run_id, runs = live.folder.run_id, live.store.runs
    runs.start(run_id)
    live.services.emit(EventType.STARTED, f"started: {request}")
    try:
        result = await work(live)
    except TestwrightError as error:
        live.services.emit(EventType.ERROR, error.message)
        runs.finish(run_id, status="failed", exit_reason=ended_by(error).value, exit_code=int(error.exit_code))
        raise
    except (asyncio.CancelledError, KeyboardInterrupt):
        runs.finish(run_id, status="failed", exit_reason="interrupted", exit_code=int(ExitCode.INTERRUPTED))
        raise
    runs.finish(run_id, status="completed", exit_reason="completed", exit_code=int(ExitCode.OK))
    live.services.emit(EventType.COMPLETE, "completed")
    return result


def _target_of(spec: Mapping[str, Any]) -> str:
    """The module that a spec is about: its target's, or that of the component where flows begin; "" for none."""
    target = spec.get("target") or {}
    components = target.get("components") or ()
    entry = next((one for one in components if one.get("role") == "entry"), None)
    about = entry or target
    return str(about.get("path") or about.get("module") or "")


def _why_no_spec(status: str, spec: Json | None, errors: list[Json]) -> str:
    if status == "spec_ready":
        return ""
    if status == "nothing_to_test":
        unreached = (spec or {}).get("not_reached") or [{}]
        first = unreached[0]
        return f"nothing to test was found: {first.get('subject', '')} {first.get('reason', '')}".strip(" :")
    return f"it was not valid: {errors[0].get('message')}" if errors else "it was not valid"
