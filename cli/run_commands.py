"""run, plan and resume: the commands that do the work."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

import typer

from ..app.fast_imports import fast_imports
from ..app.request_settings import settings_for_request
from ..app.run_cache import CachedRun, ProjectSnapshot, all_keys, is_cacheable, key_for, lookup
from ..config.settings import Settings, load_settings
from ..core.errors import UsageError
from ..store.files.run_folder import RunFolder, new_run_id
from . import options as given
from .asking import Clarification, approver, with_strictness
from .event_lines import with_event_lines
from .failures import name_interrupted_run, report_failures
from .loading import load_service, load_settings_aloud
from .outcome import cached_summary, print_plan, print_result
from .progress import show_progress
from .temporal.termination import interrupted_by_termination
from .temporal.worker_command import load_temporal

if TYPE_CHECKING:
    from ..app.bootstrap import Ask
    from ..app.run_report import RunResult
    from ..core.events import EventSink

_PLANNED = (
    "framework",
    "test_type",
    "target",
    "changed_since",
    "include",
    "exclude",
    "tests_dir",
    "app_command",
    "app_url",
)
_STRICTNESS = ("strict", "no_strict")
_RUN = ("run_id", "jobs", *_PLANNED, "sign_in", "python", "sandbox", "yes")
_JUDGING = ("trials", "mutants", "evidence", "fuzz", "fuzz_seed", "xfail_defects", "fail_on", "dry_run", "apply")
_SKIPPING = ("no_run", "no_analyze")


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    for command in (run, plan, resume):
        app.command()(command)


@given.with_options(
    given.LOCATION_OPTIONS, _RUN, given.MODEL_OPTIONS, _JUDGING, given.TOOL_OPTIONS, _SKIPPING, _STRICTNESS
)
def run(
    request: given.Request,
    on: given.OnTemporal = None,
    configure_pytest: given.ConfigurePytest = False,
    as_json: given.Json = False,
    quiet: given.Quiet = False,
    events: given.Events = False,
    debug: given.Debug = False,
    **options: Any,
) -> None:
    """Plan, specify, write, validate, run and judge tests, then add them to the project.

    Example: testwright run "unit tests for src/shop/cart.py" --root examples/shop
    """
    with report_failures(debug=debug, as_json=as_json):
        _require_one_output(as_json=as_json, events=events)
        settings = with_strictness(settings_for_request(request, load_settings(given.flags_of(options))))
        # A cached result is an earlier run's, which may still need its line of settings, and has no events.
        if not (configure_pytest or events) and (answer := _cached_result(request, settings)) is not None:
            sys.stdout.write(answer.report if as_json else answer.shown)
            raise typer.Exit(answer.exit_code)
        start = _start(on)
        snapshot = ProjectSnapshot(all_keys(request, settings, sys.argv[1:])) if is_cacheable(settings) else None
        run_id = settings.run_id or new_run_id()
        settings = settings.model_copy(update={"run_id": run_id})
        folder = RunFolder(settings.state, run_id).path
        clarification = Clarification(settings, quiet=as_json or events)
        while True:
            with (
                clarification as chosen,
                name_interrupted_run(run_id, folder),
                show_progress(quiet=as_json or quiet) as shown,
            ):
                sink = with_event_lines(shown) if events else shown
                ask = approver(shown, quiet=as_json or events)
                ended = asyncio.run(start(request, chosen, sink, ask))
                break
        if snapshot is not None:
            snapshot.store(settings, ended.report, ended.interpreter, cached_summary(ended))
        lines = load_service().configure_pytest(ended.report.run.id, settings) if configure_pytest else ()
    if not events:
        print_result(ended, as_json=as_json, added=lines)
    raise typer.Exit(ended.report.exit_code)


def _start(on: str | None) -> Callable[[str, Settings, EventSink, Ask | None], Coroutine[Any, Any, RunResult]]:
    """What starts a run: in this process, or on Temporal, where nobody can be asked."""
    if on is not None:
        client = load_temporal("client")
        return lambda request, settings, sink, ask: interrupted_by_termination(
            client.run(on, request, settings, on_event=sink)
        )
    with fast_imports():
        from ..app import runs
    return lambda request, settings, sink, ask: runs.run(
        request, settings, on_event=sink, importing=fast_imports, ask=ask
    )


def _require_one_output(*, as_json: bool, events: bool) -> None:
    """Raises UsageError where two forms are wanted on stdout."""
    if as_json and events:
        raise UsageError(
            "--events and --json both print on stdout.", advice="Take --events: `complete` names the report's file."
        )


def _cached_result(request: str, settings: Settings) -> CachedRun | None:
    """The cached result of an earlier run; None where the flags ask for new work."""
    if settings.fresh or settings.run_id or not is_cacheable(settings):
        return None
    return lookup(key_for(request, settings, os.environ))


@given.with_options(given.LOCATION_OPTIONS, _PLANNED, ("model", "base_url"), given.CEILING_OPTIONS, _STRICTNESS)
def plan(request: given.Request, as_json: given.Json = False, debug: given.Debug = False, **options: Any) -> None:
    """Only make the plan and show it; nothing is run or written.

    Example: testwright plan "only what has no tests" --root examples/shop
    """
    with report_failures(debug=debug, as_json=as_json):
        service = load_service()
        settings = with_strictness(load_settings_aloud(given.flags_of(options)))
        clarification = Clarification(settings, quiet=as_json)
        while True:
            with clarification as chosen:
                made = asyncio.run(service.plan(request, chosen))
                break
    if as_json:
        sys.stdout.write(json.dumps(made, indent=2, sort_keys=True) + "\n")
    else:
        print_plan(made)


@given.with_options(given.LOCATION_OPTIONS, ("jobs", "yes"), given.CEILING_OPTIONS)
def resume(
    run_id: given.ExistingRun,
    on: given.OnTemporal = None,
    as_json: given.Json = False,
    quiet: given.Quiet = False,
    events: given.Events = False,
    debug: given.Debug = False,
    **options: Any,
) -> None:
    """Continue a run that was interrupted, or that a ceiling ended, with the settings it began with.

    What was done stays done, and no answer of a model is paid for twice. A run that a ceiling ended needs a higher one.

    Example: testwright resume nightly --root examples/shop
    """
    with report_failures(debug=debug, as_json=as_json):
        _require_one_output(as_json=as_json, events=events)
        service = load_service()
        flags = given.flags_of(options)
        where = load_settings_aloud({name: flags.pop(name) for name in given.LOCATION_OPTIONS})
        with name_interrupted_run(run_id), show_progress(quiet=as_json or quiet) as shown:
            sink = with_event_lines(shown) if events else shown
            ask = approver(shown, quiet=as_json or events)
            if on is not None:
                resuming = interrupted_by_termination(
                    load_temporal("steering").resume(on, run_id, where, changes=flags, on_event=sink)
                )
            else:
                resuming = service.resume(run_id, where, changes=flags, on_event=sink, ask=ask)
            ended = asyncio.run(resuming)
    if not events:
        print_result(ended, as_json=as_json)
    raise typer.Exit(ended.report.exit_code)
