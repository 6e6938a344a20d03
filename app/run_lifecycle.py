"""Executes a stored run: records it, starts it, does the work, and stores how it ended.

`run_scope` is the only place that does so; the functions below it are the kinds of work.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from langgraph.config import get_stream_writer

from ..config.settings import Settings, settings_of_others
from ..config.trust import remember_run
from ..core import errors
from ..core.errors import BudgetExhausted, StorageError, TestwrightError
from ..core.events import Event, EventType
from ..core.exit_code import ExitCode
from ..core.outcome import ExitReason, FinalStatus, exit_code_of, reason_without_report, status_of
from ..core.version import VERSION
from ..graph.context import RunContext, providing
from ..graph.planning_graph.planning_state import PlanningAgentState, new_planning_state
from ..graph.running import resume_run
from ..store.database.database import Store
from ..store.database.runs import StoredRun
from ..store.files.staging import Staging
from ..utils.names.counted import counted
from ..utils.redact import Redactor, without_secrets
from .bootstrap import is_gated, planner_limits
from .container import LiveRun
from .html_report import stored_report
from .run_report import RunResult, UsageRecorder, run_usage, write_report

_RESUMABLE_FAILURES = (ExitCode.STORAGE, ExitCode.BUDGET)


@dataclass(frozen=True, slots=True)
class GraphSession:
    """What a caller needs to run the planning graph inside its own graph.

    Attributes:
        state: the planning graph's initial state.
        context: to be passed to the outer graph as `context=`.
    """

    state: PlanningAgentState
    context: RunContext


@dataclass(slots=True)
class RunScope:
    """One session of a stored run.

    Attributes:
        record: the run as stored when this session started.
        reason: why the run ends; set by the block.
        goes_on: the run has not ended where the block ends without an error; set by the block.
    """

    record: StoredRun
    usage: UsageRecorder
    reason: ExitReason = ExitReason.COMPLETED
    goes_on: bool = False


@dataclass(slots=True)
class ReportedRun:
    """A run of the planning graph.

    Attributes:
        state: the graph's final state; set by the block of `reported_run`.
        result: the run's reports; set when the block has ended.
    """

    state: PlanningAgentState = field(init=False)
    result: RunResult = field(init=False)


@contextmanager
def run_scope(
    live: LiveRun,
    request: str,
    *,
    is_new: bool = True,
    is_started: bool = False,
    is_resumable: bool = True,
    is_embedded: bool = False,
) -> Iterator[RunScope]:
    """Record a run, start it, and store how it ended and what it used.

    The run ends for `reason` of the scope, or for the error that leaves the block.

    Args:
        is_new: the run is recorded first; False for a run that is resumed.
        is_started: an earlier scope has started it and left it running.
        is_resumable: an interruption, a full disk or a ceiling leaves the run `stopped`. False for runs of a single
            task, which cannot continue in the middle: they are `failed`.
        is_embedded: a caller's graph does the work. Its errors are the caller's own, so the run is stored as TERMINATED
            without events about its start or failure.

    Raises:
        UsageError: the id of a new run is taken.
    """
    if is_new:
        record_run(live.store, live.settings, live.folder.run_id, request, live.redactor)
    runs = live.store.runs
    goes_on = is_started and runs.get(live.folder.run_id).status == "running"
    record = runs.get(live.folder.run_id) if goes_on else runs.start(live.folder.run_id)
    live.usage = live.usage or UsageRecorder(live)
    scope = RunScope(record, live.usage)
    # A caller's graph reports its own start.
    if goes_on:
        pass
    elif record.resumed:
        live.services.emit(EventType.STARTED, f"resumed: {request}")
    elif not is_embedded:
        live.announce(request)
    try:
        yield scope
    except BaseException as error:  # also cancellation and Ctrl-C: each must leave a stored ending
        if is_embedded:
            _finish(live, scope.usage, "failed", ExitReason.TERMINATED)
        elif isinstance(error, TestwrightError):
            live.services.emit(EventType.ERROR, error.message)
            status = "stopped" if is_resumable and error.exit_code in _RESUMABLE_FAILURES else "failed"
            _finish(live, scope.usage, status, reason_without_report(error), error.exit_code)
        elif isinstance(error, asyncio.CancelledError | KeyboardInterrupt):
            _finish(live, scope.usage, "stopped" if is_resumable else "failed", ExitReason.INTERRUPTED)
        # Any other exception is a defect of testwright: the record stays `running`, which is listed as interrupted.
        raise
    if not scope.goes_on:
        _finish(live, scope.usage, status_of(scope.reason), scope.reason)


def record_run(store: Store, settings: Settings, run_id: str, request: str, redactor: Redactor) -> None:
    """Store a new run, and that the user has begun it here. Raises UsageError: its id is taken."""
    record = store.runs.create(
        run_id,
        request=request,
        root=str(settings.root),
        settings=settings.stored(),
        version=VERSION,
        redactor=redactor,
    )
    # Of the settings in memory: what the database returns may be another's, which would become the user's choice.
    chosen = settings_of_others(without_secrets(settings.stored(), redactor), Settings.model_construct())
    remember_run(run_id, record.created_at, chosen)


def _finish(
    live: LiveRun, usage: UsageRecorder, status: FinalStatus, reason: ExitReason, code: ExitCode | None = None
) -> None:
    with suppress(StorageError):  # a full disk has raised its own error already, which must not be replaced
        Staging(live.folder, live.settings.root).put_away()
        usage.store()
        live.store.runs.record_spent(live.folder.run_id, run_usage(live))
    code = exit_code_of(reason) if code is None else code
    live.store.runs.finish(live.folder.run_id, status=status, exit_reason=reason.value, exit_code=int(code))


@asynccontextmanager
async def reported_run(
    live: LiveRun, request: str, *, is_new: bool = True, is_started: bool = False
) -> AsyncIterator[ReportedRun]:
    """Record a run whose planning graph the block executes, and write its reports.

    The target is prepared meanwhile, unless the safety gate has to decide first.

    The block sets `state`; `result` is there after it.

    Raises:
        TestwrightError: no plan could be made, or state could not be kept.
    """
    run = ReportedRun()
    with run_scope(live, request, is_new=is_new, is_started=is_started) as scope:
        is_early = not is_gated(live.settings, {*live.settings.agents, *live.agents})
        async with live.target.ahead() if is_early else nullcontext():
            yield run
        # A run without a plan has nothing to report.
        if run.state["failure"] and not run.state["plan"]:
            raise error_from_payload(run.state["failure"], "no plan could be made")
        run.result = write_report(live, request, run.state, scope.usage, resumed=scope.record.resumed)
        scope.reason = run.result.report.exit_reason
    live.services.emit(
        EventType.COMPLETE,
        f"{scope.reason}: {counted(run.result.report.totals.kept, 'test')} kept",
        report=str(live.folder.report_json),
        iterations=sum(run.state["attempt_counts"].values()),
    )


async def continue_run(live: LiveRun, record: StoredRun, *, is_started: bool = False) -> RunResult:
    """Continue a run from its last checkpoint, or from the start when it has none; stores the settings it now has.

    A run that has its report already returns it unchanged.

    Args:
        is_started: see `run_scope`.

    Raises:
        BudgetExhausted: a ceiling ended the run and is still reached; nothing has changed.
        StoreCorrupt: the run's report does not read.
        TestwrightError: as for `reported_run`.
    """
    if record.status in ("completed", "failed") and live.folder.report_json.is_file():
        report = stored_report(live.folder)
        return RunResult(report, live.folder.report_md, had_ended=True)
    take_up(live, record)
    state = initial_state(live, record.request)
    async with reported_run(live, record.request, is_new=False, is_started=is_started) as run:
        run.state = await resume_run(live.context, live.services, initial_state=state)
    return run.result


def take_up(live: LiveRun, record: StoredRun) -> None:
    """Prepare a stored run to go on: store the settings it now has, and undo an acceptance that was cut short.

    Raises:
        BudgetExhausted: a ceiling ended the run and is still reached; nothing has changed.
    """
    _require_budget(live, record)
    live.store.runs.record_settings(record.run_id, live.settings.stored(), live.redactor)
    staging = Staging(live.folder, live.settings.root)
    staging.bring_back()
    staging.withdraw()


@contextmanager
def embedded_graph_session(live: LiveRun, request: str, *, interrupts: bool = False) -> Iterator[GraphSession]:
    """Register the run's services so that a caller can run our graph inside its own.

    On exit the run is stored with the plan's exit reason, or TERMINATED if the block raised or no plan finished.

    Raises:
        UsageError: the run id is taken.
    """
    with run_scope(live, request, is_embedded=True) as scope:
        scope.reason = ExitReason.TERMINATED

        def note_plan_end(event: Event) -> None:
            if "plan_ended" in event.data:
                scope.reason = ExitReason(event.data["plan_ended"])

        live.events.subscribe(note_plan_end)
        live.events.subscribe(_stream)
        with providing(live.context, replace(live.services, interrupts=interrupts)):
            yield GraphSession(initial_state(live, request), live.context)


def _stream(event: Event) -> None:
    """Pass an event to whoever streams the caller's graph with `stream_mode="custom"`."""
    # Events also come from threads and from outside any node, where there is no stream.
    with suppress(RuntimeError, KeyError):
        said = {"type": str(event.type), "message": event.message, "step_id": event.step_id, "data": dict(event.data)}
        get_stream_writer()({"testwright": said})


def initial_state(live: LiveRun, request: str) -> PlanningAgentState:
    """The planning state that a run with these settings starts from."""
    settings = live.settings
    return new_planning_state(
        request_id=live.context.run_id,
        user_request=request,
        test_type=settings.test_type,
        target=settings.target,
        changes=live.changes,
        limits=planner_limits(settings),
        framework=settings.framework,
        tests_dir=settings.tests_dir,
        max_retries_per_step=settings.max_retries_per_step,
        max_retries=settings.max_retries,
        run=settings.run,
        analyze=settings.analyze,
        accept=not settings.only_stages,
    )


def error_from_payload(payload: Mapping[str, Any], default: str = "") -> TestwrightError:
    """Rebuild the error that an agent's or a graph's answer describes (`error` is the class name, `message`, `advice`).

    Args:
        default: the message when the payload has none.
    """
    cls = getattr(errors, str(payload.get("error", "")), TestwrightError)
    if not (isinstance(cls, type) and issubclass(cls, TestwrightError)):
        cls = TestwrightError
    details = {key: value for key, value in payload.items() if key not in ("error", "message", "advice")}
    return cls(str(payload.get("message", default)), advice=str(payload.get("advice", "")), details=details)


def _require_budget(live: LiveRun, record: StoredRun) -> None:
    """Refuse to continue a run that a ceiling ended and that the present ceilings would end at once."""
    exceeded = live.models.budget.exceeded()
    if record.exit_reason != ExitReason.BUDGET_EXHAUSTED or exceeded is None:
        return
    used = run_usage(live)
    for_end = live.models.budget.seconds_for_end
    kept = f", and {for_end:.3g} s of a ceiling on time are for its end" if live.settings.max_seconds else ""
    raise BudgetExhausted(
        f"Run {record.run_id} cannot go on: {exceeded}. It has used {used.tokens} tokens, {used.cost:.4f} USD and "
        f"{used.seconds:.1f} s{kept}.",
        advice=f"Give it more: `testwright resume {record.run_id}` with a higher --max-tokens, --max-cost or "
        "--max-seconds.",
    )
