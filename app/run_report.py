"""Records what a run uses while it works, and writes its reports at the end."""

from __future__ import annotations

import time
from collections.abc import Container
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..core.errors import ProjectError
from ..core.events import Event
from ..core.outcome import MODEL_EXITS, ExitReason
from ..core.usage import ModelUsage, RunUsage
from ..core.version import VERSION
from ..engine.python.explore.unknown_examples import unknown_examples
from ..engine.python.inputs.given_examples import EXAMPLE_NOTE, example_note
from ..engine.python.project.layout import find_layout
from ..graph.planning_graph.planning_state import PlanningAgentState
from ..reports.build import Outcomes, build_report
from ..reports.json_form import json_form
from ..reports.junit_form import junit_form
from ..reports.markdown_form import markdown_form
from ..reports.model import Report
from ..reports.run_facts import idle_of, iso_time, phase_times, tool_use
from ..reports.run_model import CacheUse, ModelUse, ReportStoredArtifact, Run, Spending, ToolServerUse
from ..sandbox.interpreter import Interpreter
from ..store.files.event_log import first_event_time, read_events
from ..store.files.files import remove_leftovers, write_file
from ..store.files.sessions import SessionFile, SessionUsage
from ..store.files.staging import Staging
from ..utils.untrusted_folders import remove_tree
from .container import LiveRun
from .defect_patch import PATCH_FILE, defect_patch
from .html_report import write_html_report
from .tool_factory import cache_kind


@dataclass(frozen=True, slots=True)
class RunResult:
    """A run that has ended.

    Attributes:
        report_path: report.md, for people.
        diff: what accepting the staged files would change, where they stay staged; "" otherwise.
        interpreter: ran the target's code; None when none of it was run in this session.
        had_ended: the run had its report before, and nothing was done.
    """

    report: Report
    report_path: Path
    diff: str = ""
    interpreter: Interpreter | None = None
    had_ended: bool = False


class UsageRecorder:
    """Stores what the run's sessions used: the earlier ones as they were, and this one while it works."""

    def __init__(self, live: LiveRun) -> None:
        self._live = live
        self._sessions = SessionFile(live.folder.sessions_json)
        self._earlier = self._sessions.all()
        live.events.subscribe(self._on_event)

    def store(self) -> list[SessionUsage]:
        """Store this session's usage so far, and return every session's. Raises StorageError."""
        read = self._live.meter.read()
        calls = tool_use(asdict(call) for call in self._live.tools.calls())
        rows = [call.model_dump() for call in calls]
        now = SessionUsage(read.wall_seconds, read.idle_seconds, read.model_seconds, rows)
        self._sessions.keep(self._earlier, now)
        return [*self._earlier, now]

    def _on_event(self, event: Event) -> None:
        if self._sessions.due():
            self.store()


def run_usage(live: LiveRun) -> RunUsage:
    """What the run used in all its sessions, including paid answers that could not be used."""
    budget = live.models.budget
    total = budget.total
    return RunUsage(round(budget.seconds_used, 3), total.tokens, total.cost, total.calls)


def write_report(
    live: LiveRun, request: str, state: PlanningAgentState, usage: UsageRecorder, *, resumed: int
) -> RunResult:
    """Write report.json, report.md, report.html, junit.xml and a patch of failing tests; delete temporary files.

    Args:
        state: the final state of the planning graph.
        resumed: how often the run was resumed.

    Raises:
        StorageError: a report cannot be written.
    """
    folder, settings = live.folder, live.settings
    made = [dict(step["result"] or {}) for step in state["plan"]]
    patch, not_in_patch = defect_patch(made, settings.root, xfail=settings.xfail_defects)
    outcomes = Outcomes(
        request=request,
        plan=[dict(step) for step in state["plan"]],
        understanding={"not_understood": state["not_understood"], "skipped": state["skipped"]},
        attempt_counts=state["attempt_counts"],
        ended=_early_end(live, state),
        advice=[*_example_notes(live, state), *([_PATCH_NOTE] if patch else []), *not_in_patch, *_suggestions(state)],
        analysed=settings.analyze,
        fail_on_defect=settings.fail_on == "defect",
        private=[str(folder.path), str(settings.root)],
    )
    report = build_report(_run_part(live, usage.store(), resumed), outcomes, redact=live.redactor.value)
    write_file(folder.report_json, json_form(report))
    write_file(folder.report_md, markdown_form(report))
    write_file(folder.junit_xml, junit_form(report))
    if patch:
        write_file(folder.path / PATCH_FILE, live.redactor.text(patch))
    else:
        (folder.path / PATCH_FILE).unlink(missing_ok=True)
    write_html_report(folder, report, live.store, root=settings.root, redact=live.redactor.text)
    staged = [file.path for file in report.files if file.outcome == "staged"]
    diff = Staging(folder, settings.root).diff(staged) if settings.only_stages and staged else ""
    remove_tree(folder.scratch, ignore_errors=True)
    remove_leftovers(folder.path)
    return RunResult(report, folder.report_md, diff, live.target.interpreter)


def _suggestions(state: PlanningAgentState) -> list[str]:
    """What the goal agent asked for beyond the request; the user decides."""
    found = (state.get("control") or {}).get("suggestions", [])
    return [
        f"The goal agent suggests, beyond the request: {text}. Ask for it in a request of its own." for text in found
    ]


def _example_notes(live: LiveRun, state: PlanningAgentState) -> list[str]:
    """Notes about the examples of the settings that do not work: those of targets, and those that name nothing."""
    examples = live.settings.examples
    if not examples:
        return []
    noted = [str(note) for step in state["plan"] for note in (step["result"] or {}).get("warnings") or ()]
    noted = [note for note in noted if note.startswith(EXAMPLE_NOTE)]
    with suppress(OSError, ProjectError):  # a project that cannot be read has said so where it was planned
        unknown = unknown_examples(examples, find_layout(live.settings.root))
        noted += [example_note(key, reason) for key, reason in unknown.items()]
    return list(dict.fromkeys(noted))


def _early_end(live: LiveRun, state: PlanningAgentState) -> str | None:
    """The `ExitReason` that ended the run before its plan was carried out; None when it was."""
    if any((step["result"] or {}).get("exit_reason") == "storage" for step in state["plan"]):
        # Only accepting tests reports storage as a step's result: state that cannot be kept raises StorageError.
        return ExitReason.PROJECT_NOT_WRITTEN
    if state["exit_reason"] in _EARLY_ENDS:
        return state["exit_reason"]
    # An agent may have been refused a call by a ceiling and have finished without it.
    return ExitReason.BUDGET_EXHAUSTED if live.models.budget.reached is not None else None


_PATCH_NOTE = f"{PATCH_FILE}, beside the report, adds the tests that the suspected defects fail (`git apply`)."

_EARLY_ENDS = frozenset(
    {
        ExitReason.BUDGET_EXHAUSTED,
        ExitReason.ENVIRONMENT,
        ExitReason.GOAL_VALIDATION_FAILED,
        ExitReason.TERMINATED,
        *MODEL_EXITS.values(),
    }
)
"""Reasons of the graph's that stay a run's reason, whatever was kept."""


def _model_use(used: ModelUsage, priced: Container[str]) -> ModelUse:
    """What the report says of a model; one whose agent names its costs needs no price table."""
    found: dict[str, Any] = asdict(used)
    stated = found.pop("cost_stated")
    return ModelUse(**found, priced=stated or used.cost > 0 or used.model in priced)


def _run_part(live: LiveRun, sessions: list[SessionUsage], resumed: int) -> Run:
    finished_at = time.time()
    environment = _last_environment(live)
    calls = tool_use(call for session in sessions for call in session.tool_calls)
    models = [_model_use(used, live.models.priced) for used in live.models.budget.by_role()]
    return Run(
        id=live.folder.run_id,
        version=VERSION,
        root=str(live.settings.root),
        started_at=iso_time(_first_began(live)),
        finished_at=iso_time(finished_at),
        seconds=round(max(0.0, finished_at - live.began_at), 3),
        sandbox=str(environment.get("sandbox", "")),
        interpreter=str(environment.get("interpreter", "")),
        resumed=resumed,
        settings=dict(live.redactor.value(live.settings.stored())),
        tool_calls=calls,
        tool_servers=tuple(ToolServerUse(**asdict(server)) for server in live.tools.servers()),
        cache=CacheUse(
            kept_in=cache_kind(live.settings),
            cache_hits=sum(call.cached for call in calls),
            explored_before=tuple(_recorded(live, "explored_before")),
        ),
        warnings=tuple(_recorded(live, "warning")),
        idle=idle_of(
            sum(session.seconds for session in sessions),
            sum(session.idle_seconds for session in sessions),
            sum(session.model_seconds for session in sessions),
        ),
        phases=phase_times(read_events(live.folder.events_jsonl)),
        spent=Spending(**asdict(run_usage(live)), models=tuple(models)),
        artifacts=tuple(
            ReportStoredArtifact(
                id=found.artifact_id,
                kind=found.kind,
                sanitizer=str(found.meta.get("sanitizer", "")),
                prompt_version=str(found.meta.get("prompt_version", "")),
            )
            for found in live.store.artifacts.find(live.folder.run_id)
        ),
    )


def _first_began(live: LiveRun) -> float:
    """When the first session of the run began, in seconds since the epoch."""
    return min(first_event_time(live.folder.events_jsonl) or live.began_at, live.began_at)


def _last_environment(live: LiveRun) -> dict[str, Any]:
    """Sandbox and interpreter that the run used last, in any of its sessions; empty when it used none."""
    found: dict[str, Any] = {}
    for event in read_events(live.folder.events_jsonl):
        if "sandbox" in event.data:
            found = event.data
    return found


def _recorded(live: LiveRun, key: str) -> list[str]:
    """What events of all sessions of the run say under a key, each once, in order."""
    events = read_events(live.folder.events_jsonl)
    return list(dict.fromkeys(str(event.data[key]) for event in events if key in event.data))
