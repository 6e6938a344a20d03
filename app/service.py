"""Use cases beside starting a run: plan, resume, apply, list, show, clean, validate. Called by all entry points."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..agents.contract.protocol import WITHOUT_MODEL, AgentRequest, RequestMetadata
from ..config.settings import Settings, changed_settings, load_settings, restore_settings, settings_of_others
from ..config.trust import in_words, is_remembered
from ..core.errors import (
    BudgetExhausted,
    ProjectError,
    RunNotFound,
    SettingsError,
    StoreCorrupt,
    ToolFailure,
    ToolInputError,
    UsageError,
)
from ..core.events import EventSink
from ..graph.execution_graph.graph import build_testing_graph
from ..graph.faults import is_of_model
from ..graph.planning_graph.planning_graph import build_planning_graph
from ..mcp.toolbox.staged_files import with_dependencies
from ..reports.model import PytestLine, Report
from ..store import listing, retention
from ..store.database.database import Store
from ..store.database.runs import StoredRun
from ..store.files.acceptance import Acceptance
from ..store.files.lock import project_lock, run_lock
from ..store.files.run_folder import RunFolder
from ..store.files.sessions import SessionFile
from ..store.files.settings_line import add_setting
from ..store.files.staging import Staging
from ..store.run_names import find_run
from ..utils.redact import Redactor
from ..utils.untrusted_files import read_bytes
from .agent_factory import create_planner
from .assess import assessment_html
from .bootstrap import Ask, load_changes, planner_inputs_for
from .container import open_run, open_validators
from .html_report import stored_report, write_html_report
from .model_clients import open_model_clients
from .opened_store import open_store
from .request_settings import require_request, settings_for_request
from .run_lifecycle import continue_run, error_from_payload
from .run_report import RunResult

RESUME_SETTINGS = ("jobs", "max_tokens", "max_cost", "max_seconds", "prices", "yes")
"""Settings that a run may be resumed with in place of those it began with."""


async def resume(
    run_id: str,
    where: Settings,
    *,
    changes: Mapping[str, Any] | None = None,
    on_event: EventSink | None = None,
    ask: Ask | None = None,
    agents: Mapping[str, Any] | None = None,
) -> RunResult:
    """Continue a run with the settings it began with; one that a ceiling ended needs a higher one.

    Args:
        where: says where runs are kept.
        changes: settings of `RESUME_SETTINGS` that replace the stored ones, from now on.
        ask: puts a question about a risky step to the user; None where nobody can be asked.
        agents: agents and functions of the caller's own, by role; those of an earlier session are not kept.

    Raises:
        RunNotFound, RunLocked, StateVersionError: why it cannot go on.
        BudgetExhausted: its ceilings are spent already.
        SettingsError: a change is none of these settings, or has a wrong value; or the run may not be the user's.
    """
    run_id = run_named(run_id, where)
    folder = RunFolder(where.state, run_id).require()
    changed = {name: value for name, value in (changes or {}).items() if value is not None}
    if unknown := sorted(set(changed) - set(RESUME_SETTINGS)):
        raise SettingsError(
            f"A run cannot be resumed with another {', '.join(unknown)}.",
            advice=f"These may change: {', '.join(RESUME_SETTINGS)}. Start a new run for anything else.",
        )
    record, settings = stored_run(run_id, where, changed)
    before = max(record.spent.seconds, sum(session.seconds for session in SessionFile(folder.sessions_json).all()))
    opened = open_run(settings, run_id, on_event=on_event, ask=ask, agents=agents, seconds_before=before)
    async with opened as live:
        return await continue_run(live, record)


def stored_run(run_id: str, where: Settings, changes: Mapping[str, Any] | None = None) -> tuple[StoredRun, Settings]:
    """The record of a run that may go on here, and the settings it goes on with.

    Args:
        where: says where runs are kept.
        changes: settings that replace the stored ones.

    Raises:
        SettingsError: it has no record, may not be the user's, or a change has a wrong value.
        ProjectError: its project is gone.
    """
    with open_store(where) as store:
        record = _recorded(store, run_id)
    _require_consent(record, where)
    return record, _as_found(changed_settings(restore_settings(record.settings), changes or {}), where)


def _recorded(store: Store, run_id: str) -> StoredRun:
    """The record of a run that has a folder. Raises SettingsError where it has none that was begun here."""
    try:
        return store.runs.get(run_id)
    except RunNotFound as error:
        raise SettingsError(
            f"Run {run_id} was not begun by you here, or stopped before it was recorded.",
            advice="Resume it with --trust-project if you trust the project, or start a new run.",
        ) from error


def _require_consent(record: StoredRun, where: Settings) -> None:
    """Raises SettingsError for a run whose record and files may have come with the project.

    They say what is read and written next, and with which settings.
    """
    if _is_users(record, where):
        return
    foreign = settings_of_others(record.settings, where)
    wants = f", and wants settings that need consent: {in_words(foreign)}" if foreign else ""
    raise SettingsError(
        f"Run {record.run_id} was not begun by you here{wants}.",
        advice="Resume it with --trust-project if you trust the project, or start a new run.",
    )


def _is_users(record: StoredRun, where: Settings) -> bool:
    """Whether the user began a run here, or trusts where it is kept."""
    chosen = settings_of_others(record.settings, Settings.model_construct())
    return bool(where.state_dir or where.trust_project or is_remembered(record.run_id, record.created_at, chosen))


def _as_found(stored: Settings, where: Settings) -> Settings:
    """The settings of a stored run, for the place it was found in: a project may have been moved since.

    Raises:
        ProjectError: its runs are kept elsewhere, and the project is gone from where it was.
    """
    root = _root_of(stored.root, where)
    return stored.model_copy(update={"root": root, "state_dir": where.state_dir and where.state, "store": where.store})


def _root_of(stored: Path, where: Settings) -> Path:
    root = where.root if where.state_dir is None else stored
    if not root.is_dir():
        raise ProjectError(f"The run's project was {root}, which is not there.", advice="Put it back, or run anew.")
    return root


async def plan(request: str, settings: Settings) -> dict[str, Any]:
    """The plan for a request: `steps`, `understood`, `not_understood`, `skipped`; nothing is written to the project.

    Raises:
        UsageError: the request is empty.
        RequestError: the request names nothing that was found.
        HistoryError: git cannot say what has changed since `changed_since`.
        SettingsError: a model is to be asked and its key or price is missing.
        BudgetExhausted: a ceiling is reached before there is a plan.
    """
    require_request(request)
    settings = settings_for_request(request, settings)
    inputs = planner_inputs_for(settings, request, await load_changes(settings))
    async with (
        open_model_clients(settings, os.environ, cache=settings.cache_dir) as models,
        create_planner(settings, models.by_role.get("planner")) as planner,
    ):
        agent_request = AgentRequest(request or "plan", "build_plan", RequestMetadata("plan"), inputs=inputs)
        response, notes = await planner.process(agent_request), []
        may_go_on = settings.planner_failure == "continue" and models.budget.reached is None
        if response.error is not None and may_go_on and is_of_model(response.error):
            notes = [f"the embedded planner took the place of the model: {response.error.message}"]
            response = await planner.process(replace(agent_request, constraints=WITHOUT_MODEL))
    if response.error is not None:
        if models.budget.reached is not None:
            raise BudgetExhausted(response.error.message, advice="Plan again with a higher ceiling.")
        raise error_from_payload({**(response.error.details or {}), "message": response.error.message})
    return {**response.result, **({"notes": notes} if notes else {})}


def apply(run_id: str, where: Settings) -> tuple[Acceptance, ...]:
    """Add a run's kept tests to the project; what a person has changed is left alone.

    Raises:
        RunNotFound: there is no such run.
        UsageError: it has not ended, or kept nothing.
        SettingsError: it may have come with the project.
        StorageError: the project cannot be written; the tests stay in the run's folder.
    """
    folder, report, root = ended_here(run_id, where)
    kept = [file.path for file in report.files if file.outcome != "removed"]
    if not kept:
        raise UsageError(f"Run {folder.run_id} kept no tests.", advice="Its report says why.")
    with project_lock(where.state, root, f"apply {folder.run_id}"), run_lock(folder):
        staging = Staging(folder, root)
        # What is staged brings the helpers along that are staged beside it: a conftest, what starts the application.
        there = set(staging.paths())
        needed: dict[str, None] = {}
        for path in kept:
            needed |= dict.fromkeys(with_dependencies(folder.staged, path) if path in there else (path,))
        return tuple(staging.accept(needed))


def configure_pytest(run_id: str, where: Settings) -> tuple[PytestLine, ...]:
    """Add the settings to the project that its own pytest needs for a run's tests; returns those that were added.

    Raises:
        RunNotFound: there is no such run.
        UsageError: it has no report, or a line cannot be added without changing something else.
        SettingsError: it may have come with the project.
        StorageError: the file cannot be written.
    """
    folder, report, root = ended_here(run_id, where)
    with project_lock(where.state, root, f"apply {folder.run_id}"):
        wanted = report.own_pytest.settings if report.own_pytest is not None else ()
        return tuple(row for row in wanted if add_setting(root, row.file, row.section, row.key, row.line))


def run_named(name: str, where: Settings) -> str:
    """The id of the run that is meant by its id, how it begins, or `latest`. Raises RunNotFound, UsageError."""
    if where.store is None and not where.state.is_dir():  # opening the database would make the folder
        return RunFolder(where.state, name).require().run_id
    with open_store(where) as store:
        return find_run(name, store, where.state, root=_root_to_list(where))


def _root_to_list(where: Settings) -> Path | None:
    """The project whose runs count: of state that is kept inside it all do, also from where it was before."""
    if where.store is not None:  # others share it
        return where.root
    return None if where.state.is_relative_to(where.root) else where.root


def list_runs(where: Settings) -> list[listing.RunSummary]:
    """The project's runs, newest first; of state that is kept inside the project all, also from where it was before."""
    with open_store(where) as store:
        return listing.list_runs(store, where.state, root=_root_to_list(where))


def show_run(run_id: str, where: Settings) -> tuple[listing.RunDetails, str]:
    """What is known of a run, and its report for people ("" where it has none). Raises RunNotFound, UsageError."""
    run_id = run_named(run_id, where)
    with open_store(where) as store:
        details = listing.show_run(store, where.state, run_id)
    path = RunFolder(where.state, run_id).report_md
    return details, read_bytes(path.parent, path.name).decode("utf-8", "replace") if path.is_file() else ""


def ended_run(run_id: str, where: Settings) -> RunResult | None:
    """A run with its report; None where it has none, or one that does not read. Raises RunNotFound, StorageError."""
    folder = RunFolder(where.state, run_named(run_id, where)).require()
    if not folder.report_json.is_file():
        return None
    try:
        return RunResult(stored_report(folder), folder.report_md)
    except StoreCorrupt:
        return None


def html_report(run_id: str, where: Settings) -> Path:
    """The path of a run's page for a browser, which is written now when the run has a report and no page.

    A page that may have come with the project is replaced: a browser would execute what its author wrote.

    Raises:
        RunNotFound: there is no such run.
        UsageError: it has no report.
        StorageError: the page cannot be written.
    """
    run_id = run_named(run_id, where)
    folder = RunFolder(where.state, run_id).require()
    if folder.assess_json.is_file():
        return assessment_html(folder)
    redact = Redactor.from_environment(os.environ).text
    with open_store(where) as store:
        if folder.report_html.is_file() and _is_known(store, run_id, where):
            return folder.report_html
        if not folder.report_json.is_file():
            raise UsageError(f"Run {run_id} has no report.", advice="`testwright runs show` says what is known of it.")
        report = stored_report(folder)
        return write_html_report(folder, report, store, root=_root_of(Path(report.run.root), where), redact=redact)


def _is_known(store: Store, run_id: str, where: Settings) -> bool:
    try:
        return _is_users(store.runs.get(run_id), where)
    except RunNotFound:  # there is only its folder
        return bool(where.state_dir or where.trust_project)


def ended_here(run_id: str, where: Settings) -> tuple[RunFolder, Report, Path]:
    """The folder, the report and the project of an ended run whose results may join the project.

    Raises:
        RunNotFound, UsageError, StorageError.
        SettingsError: it may have come with the project; its files would join it unseen.
    """
    run_id = run_named(run_id, where)
    folder = RunFolder(where.state, run_id).require()
    if not folder.report_json.is_file():
        raise UsageError(f"Run {run_id} has no report yet.", advice=f"`testwright resume {run_id}` sees it to its end.")
    with open_store(where) as store:
        known = _is_known(store, run_id, where)
    if not known:
        raise SettingsError(
            f"Run {run_id} was not begun by you here; what it keeps may have come with the project.",
            advice="Run the request again, or add --trust-project if you trust the project.",
        )
    report = stored_report(folder)
    return folder, report, _root_of(Path(report.run.root), where)


def clean(
    settings: Settings, *, older_than_days: float | None = None, dry_run: bool = False
) -> retention.CleanupResult:
    """Remove old runs, never the newest `keep_runs`, never one that is being worked on."""
    with open_store(settings) as store:
        return retention.clean(
            store,
            settings.state,
            keep_last=settings.keep_runs,
            older_than_days=older_than_days,
            dry_run=dry_run,
            cache=settings.cache_dir,
            root=settings.root if settings.store is not None else None,
        )


async def validate_spec(spec: Any, test_type: str, *, strict: bool = True) -> dict[str, Any]:
    """What the tool `validate_test_spec` says of a spec."""
    return await _one_call("validate_test_spec", {"spec_json": spec, "schema_type": test_type, "strict": strict})


def migrated_spec(spec: Mapping[str, Any], test_type: str | None = None) -> dict[str, Any]:
    """What the tool `migrate_test_spec` makes of a spec. Raises UsageError when it cannot be migrated."""
    from ..mcp.serving.tools.migrate_test_spec import migrated_spec as migrated

    try:
        return migrated(spec, test_type)
    except ToolInputError as error:
        raise UsageError(f"{error.message}.", advice=error.advice) from error


async def validate_code(path: Path, framework: str) -> dict[str, Any]:
    """What the tool `validate_test_code` says of a test file. Raises UsageError when it cannot be read.

    Below the current folder the conftest files above the test count, too.
    """
    place = Path(os.path.normpath(path.absolute()))
    if not place.is_file():
        raise UsageError(f"{path} is no file.", advice="Check the path.")
    root = Path.cwd() if place.is_relative_to(Path.cwd()) else place.parent
    arguments = {"code_path": place.relative_to(root).as_posix(), "framework": framework}
    return await _one_call("validate_test_code", arguments, root=root)


async def _one_call(tool: str, arguments: dict[str, Any], root: Path | None = None) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="testwright-") as folder:
        settings = load_settings({"root": root or Path(folder), "state_dir": Path(folder)})
        async with open_validators(settings, RunFolder(Path(folder), "validate")) as tools:
            try:
                return await tools.call(tool, arguments)
            except ToolFailure as error:
                raise UsageError(error.message, advice=error.advice) from error


def mermaid(which: str) -> str:
    """A graph as Mermaid text; `which` is planning or testing. Raises UsageError."""
    graphs = {"planning": build_planning_graph, "testing": build_testing_graph}
    if which not in graphs:
        raise UsageError(f"There is no graph {which!r}.", advice="The graphs are planning and testing.")
    return graphs[which]().get_graph().draw_mermaid()
