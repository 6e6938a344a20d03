"""One session of a run: the planning graph from start or checkpoint to its end, then the report (T-01, B-08, P-11)."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import time
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..core import errors
from ..core.errors import BudgetExhausted, ExitCode, StorageError, TestwrightError
from ..core.events import Event, EventType
from ..core.outcome import ExitReason, exit_code_of, reason_without_report, status_of
from ..core.usage import RunUsage
from ..core.version import VERSION
from ..graph.context import RunContext, providing
from ..graph.planning_graph.planning_state import PlanningAgentState, new_planning_state
from ..graph.running import resume_run, start_run
from ..reports.build import Outcomes, build_report
from ..reports.json_form import json_form
from ..reports.junit_form import junit_form
from ..reports.markdown_form import markdown_form
from ..reports.model import Report
from ..reports.run_facts import RunFacts
from ..sandbox.interpreter import Interpreter
from ..store.database.runs import RunRecord, RunStatus
from ..store.files.files import remove_leftovers, write_file
from ..store.files.sessions import SessionUsage
from ..store.files.staging import Staging
from .container import LiveRun
from .session_work import UsedWork, ran_in, told_warnings
from .tool_factory import cache_kind


def ended_by(error: TestwrightError) -> ExitReason:
    """The exit reason of a run that an error has ended."""
    return reason_without_report(error.exit_code)


@dataclass(frozen=True, slots=True)
class Ended:
    """A run that has ended.

    Attributes:
        report_path: report.md, for people.
        diff: what accepting the staged files would change, on a dry run; "" otherwise.
        interpreter: what ran the target's code; None when nothing of it was run in this session.
    """

    report: Report
    report_path: Path
    diff: str = ""
    interpreter: Interpreter | None = None


async def started(live: LiveRun, request: str) -> Ended:
    """Begin a run and see it to its end.

    Raises:
        TestwrightError: no plan could be made, or state could not be kept.
    """
    record_run(live, request)
    return await seen_to_end(live, request, start_run(beginning_of(live, request), live.context, live.services))


@dataclass(frozen=True, slots=True)
class GraphSession:
    """What the planning graph needs inside a graph of somebody else's.

    Attributes:
        state: what it begins with.
        context: to be passed to the outer graph as `context=`.
    """

    state: PlanningAgentState
    context: RunContext


@contextmanager
def lent(live: LiveRun, request: str) -> Iterator[GraphSession]:
    """A run whose graph somebody else invokes: its services are there for as long as the block lasts.

    The run ends as the plan ended that the graph carried out; without one, or when the block raises, it was broken off.

    Raises:
        UsageError: the run id is taken.
    """
    record_run(live, request)
    live.store.runs.start(live.folder.run_id)
    work, ends = UsedWork(live), list[ExitReason]()

    def note(event: Event) -> None:
        if "plan_ended" in event.data:
            ends.append(ExitReason(event.data["plan_ended"]))

    live.events.subscribe(note)
    try:
        with providing(live.context, live.services):
            yield GraphSession(beginning_of(live, request), live.context)
    except BaseException:
        finish_run(live, work, "failed", ExitReason.TERMINATED)
        raise
    reason = ends[-1] if ends else ExitReason.TERMINATED
    finish_run(live, work, status_of(reason), reason)


def record_run(live: LiveRun, request: str) -> None:
    """Store a new run. Raises UsageError when its id is taken."""
    live.store.runs.create(
        live.folder.run_id,
        request=request,
        root=str(live.settings.root),
        settings=live.settings.stored(),
        version=VERSION,
        redactor=live.redactor,
    )


def beginning_of(live: LiveRun, request: str) -> PlanningAgentState:
    """The planning state that a run of these settings begins with."""
    settings = live.settings
    return new_planning_state(
        request_id=live.context.run_id,
        user_request=request,
        test_type=settings.test_type,
        target=settings.target,
        changes=live.changes,
        framework=settings.framework,
        tests_dir=settings.tests_dir,
        max_retries_per_step=settings.max_retries_per_step,
        max_retries=settings.max_retries,
        run=settings.run,
        analyze=settings.analyze,
        accept=not settings.dry_run,
    )


async def continued(live: LiveRun, record: RunRecord) -> Ended:
    """Go on with a run from its last checkpoint; one that never got as far as a checkpoint begins again.

    The settings it goes on with are stored with it.

    Raises:
        BudgetExhausted: a ceiling ended it, and is reached still; nothing has changed.
        TestwrightError: as `started`.
    """
    if record.status in ("completed", "failed") and live.folder.report_json.is_file():
        report = Report.model_validate_json(live.folder.report_json.read_bytes())
        return Ended(report, live.folder.report_md)
    _require_budget(live, record)
    live.store.runs.record_settings(record.run_id, live.settings.stored(), live.redactor)
    Staging(live.folder, live.settings.root).withdraw()
    beginning = beginning_of(live, record.request)
    return await seen_to_end(live, record.request, resume_run(live.context, live.services, initial_state=beginning))


def _require_budget(live: LiveRun, record: RunRecord) -> None:
    """Refuse to go on with a run that a ceiling ended and that the ceilings of now would end at once."""
    exceeded = live.chats.budget.exceeded()
    if record.exit_reason != ExitReason.BUDGET_EXHAUSTED or exceeded is None:
        return
    spent = _spent(live)
    raise BudgetExhausted(
        f"Run {record.run_id} cannot go on: {exceeded}. It has used {spent.tokens} tokens, {spent.cost:.4f} USD and "
        f"{spent.seconds:.1f} s.",
        advice=f"Give it more: `testwright resume {record.run_id}` with a higher --max-tokens, --max-cost or "
        "--max-seconds.",
    )


async def seen_to_end(live: LiveRun, request: str, work: Awaitable[PlanningAgentState]) -> Ended:
    """One session of a stored run: its graph to the end, then the reports; the run's record says how it ended.

    Raises:
        TestwrightError: no plan could be made, or state could not be kept.
    """
    record = live.store.runs.start(live.folder.run_id)
    used = UsedWork(live)
    if record.resumed:
        live.services.emit(EventType.STARTED, f"resumed: {request}")
    else:
        live.beginning.start(request)
    began = live.beginning.began_at
    try:
        async with live.target.ahead():
            state = await work
        _raise_failed_plan(state)
    except TestwrightError as error:
        live.services.emit(EventType.ERROR, error.message)
        status = "stopped" if error.exit_code in (ExitCode.STORAGE, ExitCode.BUDGET) else "failed"
        reason = ended_by(error)
        finish_run(live, used, status, reason, error.exit_code)
        raise
    except (asyncio.CancelledError, KeyboardInterrupt):
        finish_run(live, used, "stopped", ExitReason.INTERRUPTED)
        raise
    ended = _concluded(live, request, state, began, record, used)
    live.services.emit(EventType.COMPLETE, f"{ended.report.exit_reason}: {ended.report.totals.kept} tests kept")
    return ended


def finish_run(live: LiveRun, used: UsedWork, status: RunStatus, reason: ExitReason, code: int | None = None) -> None:
    """Note how the session ended, and what the run has used."""
    code = int(exit_code_of(reason)) if code is None else int(code)
    with contextlib.suppress(StorageError):  # a full disk has its own error already, which must not be lost
        used.keep()
        live.store.runs.record_spent(live.folder.run_id, _spent(live))
    live.store.runs.finish(live.folder.run_id, status=status, exit_reason=reason.value, exit_code=code)


def _raise_failed_plan(state: PlanningAgentState) -> None:
    """A run without a plan has nothing to report: its fault is raised as the error it was."""
    failure = state["failure"]
    if failure and not state["plan"]:
        raise as_raised(str(failure.get("message", "no plan could be made")), failure)


def as_raised(message: str, details: dict[str, Any]) -> TestwrightError:
    """The error that an agent's or a graph's answer tells of, by the name of its class."""
    cls = getattr(errors, str(details.get("error", "")), TestwrightError)
    if not (isinstance(cls, type) and issubclass(cls, TestwrightError)):
        cls = TestwrightError
    return cls(message, advice=str(details.get("advice", "")))


def _concluded(
    live: LiveRun, request: str, state: PlanningAgentState, began: float, record: RunRecord, used: UsedWork
) -> Ended:
    """Write the three reports, note the end, and tidy up."""
    facts = _facts(live, began, record, used.keep())
    outcomes = Outcomes(
        request=request,
        plan=[dict(step) for step in state["plan"]],
        understanding={"not_understood": state["not_understood"], "skipped": state["skipped"]},
        attempt_counts=state["attempt_counts"],
        ended=_ended_early(live, state),
        analysed=live.settings.analyze,
        fail_on_defect=live.settings.fail_on == "defect",
        private=[str(live.folder.path), str(live.settings.root)],
    )
    report = build_report(facts, outcomes, redact=live.redactor.value)
    for path, text in (
        (live.folder.report_json, json_form(report)),
        (live.folder.report_md, markdown_form(report)),
        (live.folder.junit_xml, junit_form(report)),
    ):
        write_file(path, text)
    finish_run(live, used, report.status, report.exit_reason, report.exit_code)
    staged = [one.path for one in report.files if one.outcome == "staged"]
    diff = Staging(live.folder, live.settings.root).diff(staged) if live.settings.dry_run and staged else ""
    shutil.rmtree(live.folder.scratch, ignore_errors=True)
    remove_leftovers(live.folder.path)
    return Ended(report, live.folder.report_md, diff, live.target.interpreter)


def _ended_early(live: LiveRun, state: PlanningAgentState) -> str | None:
    known = {"budget_exhausted": ExitReason.BUDGET_EXHAUSTED, "environment": ExitReason.ENVIRONMENT}
    reason = known.get(state["exit_reason"] or "")
    if reason is None and live.chats.budget.reached is not None:
        reason = ExitReason.BUDGET_EXHAUSTED  # an agent was refused a call and did without it
    if any((step["result"] or {}).get("exit_reason") == "storage" for step in state["plan"]):
        reason = ExitReason.PROJECT_NOT_WRITTEN  # what cannot keep the run's own state ends it without a report
    return reason.value if reason else None


def _spent(live: LiveRun) -> RunUsage:
    """What the run used, in all its sessions; also answers that were paid for and nobody could use."""
    budget = live.chats.budget
    total = budget.total
    return RunUsage(round(budget.seconds_used, 3), total.tokens, total.cost, total.calls)


def _facts(live: LiveRun, began: float, record: RunRecord, sessions: list[SessionUsage]) -> RunFacts:
    machine = ran_in(live)
    artifacts = live.store.artifacts.find(live.folder.run_id)
    return RunFacts(
        run_id=live.folder.run_id,
        version=VERSION,
        root=str(live.settings.root),
        started_at=began,
        finished_at=time.time(),
        sandbox=str(machine.get("sandbox", "")),
        interpreter=str(machine.get("interpreter", "")),
        resumed=record.resumed,
        settings=live.settings.stored(),
        tool_calls=[call for one in sessions for call in one.tool_calls],
        tool_servers=[asdict(one) for one in live.tools.servers()],
        cache_in=cache_kind(live.settings),
        warnings=told_warnings(live),
        wall_seconds=sum(one.seconds for one in sessions),
        idle_seconds=sum(one.idle_seconds for one in sessions),
        model_seconds=sum(one.model_seconds for one in sessions),
        spent=asdict(_spent(live)),
        models=[{**asdict(one), "priced": one.model in live.chats.priced} for one in live.chats.budget.by_role()],
        artifacts=[
            (one.artifact_id, one.kind, str(one.meta.get("sanitizer", "")), str(one.meta.get("prompt_version", "")))
            for one in artifacts
        ],
    )
