"""run, plan and resume: the commands that do the work."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Annotated

import typer

from .. import application
from ..settings import load_settings
from ..store.run_folder import new_run_id
from . import options as given
from .failures import failures_shown, interruption_named
from .outcome import plan_shown, report_shown
from .progress import progress_shown

RUN_HELP = """Plan, specify, write, validate, run and judge tests, then add them to the project.

Example: testwright run "unit tests for src/shop/cart.py" --root examples/shop
"""
PLAN_HELP = """Only make the plan and show it; nothing is run or written.

Example: testwright plan "only what has no tests" --root examples/shop
"""
RESUME_HELP = """Continue a run that was interrupted, with the settings it began with.

Example: testwright resume nightly --root examples/shop
"""


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command("run", help=RUN_HELP)(run)
    app.command("plan", help=PLAN_HELP)(plan)
    app.command("resume", help=RESUME_HELP)(resume)


def run(
    request: given.Request,
    root: given.Root = None,
    state_dir: given.StateDir = None,
    run_id: given.RunId = None,
    jobs: given.Jobs = None,
    framework: given.Framework = None,
    test_type: given.TestType = None,
    tests_dir: given.TestsDir = None,
    python: given.Python = None,
    sandbox: given.Sandbox = None,
    model: given.Model = None,
    base_url: given.BaseUrl = None,
    stream: given.Stream = False,
    prices: given.Prices = None,
    max_tokens: given.MaxTokens = None,
    max_cost: given.MaxCost = None,
    max_seconds: given.MaxSeconds = None,
    trials: given.Trials = None,
    fail_on: given.FailOn = None,
    isolate_agents: given.IsolateAgents = False,
    dry_run: given.DryRun = False,
    no_run: given.NoRun = False,
    no_analyze: given.NoAnalyze = False,
    as_json: given.Json = False,
    debug: given.Debug = False,
) -> None:
    """See RUN_HELP."""
    with failures_shown(debug=debug, as_json=as_json):
        settings = load_settings(
            {
                "root": root,
                "state_dir": state_dir,
                "run_id": run_id,
                "jobs": jobs,
                "framework": framework,
                "test_type": test_type,
                "tests_dir": tests_dir,
                "python": python,
                "sandbox": sandbox,
                "model": model,
                "base_url": base_url,
                "stream": given.said(stream),
                "prices": prices,
                "max_tokens": max_tokens,
                "max_cost": max_cost,
                "max_seconds": max_seconds,
                "trials": trials,
                "fail_on": fail_on,
                "isolate_agents": given.said(isolate_agents),
                "dry_run": given.said(dry_run),
                "run": given.said(no_run, False),
                "analyze": given.said(no_analyze, False),
            }
        )
        settings = settings.model_copy(update={"run_id": settings.run_id or new_run_id()})
        with interruption_named(str(settings.run_id)), progress_shown(quiet=as_json) as sink:
            ended = asyncio.run(application.run(request, settings, on_event=sink))
    report_shown(ended, as_json=as_json)
    raise typer.Exit(ended.report.exit_code)


def plan(
    request: given.Request,
    root: given.Root = None,
    framework: given.Framework = None,
    test_type: given.TestType = None,
    tests_dir: given.TestsDir = None,
    model: given.Model = None,
    base_url: given.BaseUrl = None,
    as_json: given.Json = False,
    debug: given.Debug = False,
) -> None:
    """See PLAN_HELP."""
    with failures_shown(debug=debug, as_json=as_json):
        flags = {
            "root": root,
            "framework": framework,
            "test_type": test_type,
            "tests_dir": tests_dir,
            "model": model,
            "base_url": base_url,
        }
        made = asyncio.run(application.plan(request, load_settings(flags)))
    if as_json:
        sys.stdout.write(json.dumps(made, indent=2, sort_keys=True) + "\n")
    else:
        plan_shown(made)


def resume(
    run_id: given.ExistingRun,
    root: given.Root = None,
    state_dir: given.StateDir = None,
    jobs: Annotated[int | None, typer.Option("--jobs", "-j", help="Targets worked on at the same time.")] = None,
    as_json: given.Json = False,
    debug: given.Debug = False,
) -> None:
    """See RESUME_HELP."""
    with failures_shown(debug=debug, as_json=as_json):
        where = load_settings({"root": root, "state_dir": state_dir})
        with interruption_named(run_id), progress_shown(quiet=as_json) as sink:
            ended = asyncio.run(application.resume(run_id, where, jobs=jobs, on_event=sink))
    report_shown(ended, as_json=as_json)
    raise typer.Exit(ended.report.exit_code)
